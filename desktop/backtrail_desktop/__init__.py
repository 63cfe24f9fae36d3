"""The Qt application: a front end of the Host. Knows of core only `model`, `wire` and `wording`."""
