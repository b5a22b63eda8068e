//! What a model is sent around the conversation itself: the system prompt, and the pipeline that prepares each request.
