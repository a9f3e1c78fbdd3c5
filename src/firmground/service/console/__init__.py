"""The console: web pages over the service's API, for engineers, reviewers and auditors."""
