"""Settings that hold for every test."""

import os

from hypothesis import settings

# No deadline: how long one example takes depends on what else the machine is doing.
settings.register_profile("local", deadline=None, print_blob=True)
# The same examples on every run, so that a red build is about the change and nothing else.
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
