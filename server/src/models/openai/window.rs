//! How long a model's window is, as its server tells it.

use serde_json::{Value, json};

use super::exchange::{Question, Reached, Unreached};
use super::quirks::WindowSource;

/// What Ollama is asked for unless the configuration says otherwise: longer ones take gigabytes of memory.
pub(super) const OLLAMA_WINDOW: u64 = 32_768;

/// The window of `model` in tokens; `None` if the server does not say.
pub(super) async fn discover(
    reached: &Reached,
    source: WindowSource,
    model: &str,
) -> Result<Option<u64>, Unreached> {
    let models = async |question| {
        let answer = reached.question(&question).await?;
        Ok(answer.and_then(|answer| of_models(&answer, model)))
    };
    match source {
        WindowSource::Unknown => Ok(None),
        WindowSource::Models => models(Question::Chat("models")).await,
        WindowSource::Props => {
            let answer = reached.question(&Question::Root("props")).await?;
            // Its relatives, such as llama-cpp-python, know no /props.
            match answer.as_ref().and_then(of_props) {
                Some(window) => Ok(Some(window)),
                None => models(Question::Chat("models")).await,
            }
        }
        WindowSource::Show => {
            let asked = Question::RootWith("api/show", json!({ "model": model }));
            let answer = reached.question(&asked).await?;
            Ok(answer.as_ref().and_then(of_show).map(|longest| longest.min(OLLAMA_WINDOW)))
        }
        WindowSource::LmStudio => models(Question::Root("api/v0/models")).await,
    }
}

/// The ids in an answer to `GET /v1/models`, in its order.
pub(in crate::models) fn model_ids(answer: &Value) -> Vec<String> {
    let models = answer.get("data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    models.iter().filter_map(|model| model.get("id")?.as_str()).map(str::to_owned).collect()
}

/// vLLM, OpenRouter, LM Studio, Mistral, Kimi and llama.cpp each have a field of their own for it.
fn of_models(answer: &Value, model: &str) -> Option<u64> {
    const FIELDS: [&str; 7] = [
        "/max_model_len",
        "/loaded_context_length",
        "/context_length",
        "/max_context_length",
        "/context_window",
        "/meta/n_ctx",
        "/meta/n_ctx_train",
    ];
    let models = answer.get("data")?.as_array()?;
    let is_it = |entry: &&Value| entry.get("id").and_then(Value::as_str) == Some(model);
    let only = models.first().filter(|_| models.len() == 1);
    let entry = models.iter().find(is_it).or(only)?;
    FIELDS.iter().find_map(|field| entry.pointer(field).and_then(Value::as_u64)).filter(|&window| window > 0)
}

fn of_props(answer: &Value) -> Option<u64> {
    let window = answer.pointer("/default_generation_settings/n_ctx").or_else(|| answer.get("n_ctx"));
    window.and_then(Value::as_u64).filter(|&window| window > 0)
}

/// The field is called after the model's architecture.
fn of_show(answer: &Value) -> Option<u64> {
    let info = answer.get("model_info")?.as_object()?;
    info.iter().find(|(name, _)| name.ends_with(".context_length")).and_then(|(_, window)| window.as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_says_it_in_its_own_place() {
        let vllm = json!({ "object": "list", "data": [{ "id": "a", "max_model_len": 4096 }, { "id": "b", "max_model_len": 8192 }] });
        assert_eq!(of_models(&vllm, "b"), Some(8_192));
        assert_eq!(of_models(&vllm, "c"), None);
        let router = json!({ "data": [{ "id": "x/y", "context_length": 131_072, "top_provider": { "context_length": 9 } }] });
        assert_eq!(of_models(&router, "x/y"), Some(131_072));
        let studio = json!({ "data": [{ "id": "a", "state": "loaded", "max_context_length": 32_768, "loaded_context_length": 4_096 }] });
        assert_eq!(of_models(&studio, "a"), Some(4_096), "what is loaded counts");
        let llama = json!({ "data": [{ "id": "model.gguf", "meta": { "n_ctx_train": 2_048 } }] });
        assert_eq!(of_models(&llama, "any name"), Some(2_048), "the only model there is");
        assert_eq!(of_props(&json!({ "default_generation_settings": { "n_ctx": 2_048 } })), Some(2_048));
        assert_eq!(
            of_show(
                &json!({ "model_info": { "general.architecture": "llama", "llama.context_length": 131_072 } })
            ),
            Some(131_072)
        );
    }

    #[test]
    fn what_says_nothing_is_nothing() {
        for answer in [
            json!(null),
            json!([]),
            json!({ "data": "x" }),
            json!({ "data": [{ "id": "m", "max_model_len": 0 }] }),
        ] {
            assert_eq!(
                (of_models(&answer, "m"), of_props(&answer), of_show(&answer)),
                (None, None, None),
                "{answer}"
            );
        }
        assert_eq!(
            model_ids(&json!({ "data": [{ "id": "a" }, { "name": "x" }, { "id": "b" }] })),
            ["a", "b"]
        );
    }
}
