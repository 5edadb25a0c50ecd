mod model_server;
mod support;
