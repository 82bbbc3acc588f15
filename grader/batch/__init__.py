"""Many submissions, judged in confined workers: what is stored, the task, and the local run."""
