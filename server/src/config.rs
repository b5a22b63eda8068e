//! Settings: read from their layers, checked, and each with the place it came from.

mod address;
mod choice;
mod context;
mod doubts;
mod key;
mod layers;
mod load;
mod permissions;
mod prices;
mod secret;
mod settings;
mod shell;
mod task;
mod tools;
mod user_action;
mod value;

pub use choice::{MissingModel, ModelChoice, choose_model, missing_model, other_model};
pub use context::{ContextNumber, ContextSettings};
pub use key::{Key, Shown};
pub use layers::{Diagnostic, Entry, Layer, Origin, distance, settle};
pub use load::{Loaded, Override, Places, editor_layer, file_layer, load};
pub use permissions::PermissionSettings;
pub use prices::{Dollars, Price, Prices};
pub use secret::{ApiKey, shown_url};
pub use settings::{
    Account, ChatServer, DEFAULT_EDIT_LIMIT, Effort, FileSettings, LogLevel, ModelSettings, ProviderKind,
    ReviewSettings, Setting, Settings, ThinkingChoice, ToolCallFormat,
};
pub use shell::{CommandNumber, CommandSettings, NetworkChoice, TrialTreeChoice};
pub use task::{TaskNumber, TaskSettings};
pub use tools::{ToolMode, ToolSearchChoice, ToolSettings};
pub use user_action::{ActionScope, UserAction};
pub use value::Value;
