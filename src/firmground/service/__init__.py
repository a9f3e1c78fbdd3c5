"""The HTTP service: an API over the engine, and what the proxy and the console build on."""
