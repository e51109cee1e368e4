"""`./muster demo`: a node dies under a training job, and the job comes back by itself on the same trajectory."""
