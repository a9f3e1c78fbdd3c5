"""The proxy: models behind the service, of whose answers only checked text is released."""
