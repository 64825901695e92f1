# SPDX-License-Identifier: Apache-2.0
"""What pytest.raises does, for programs of many processes: importing pytest takes each of them
longer than importing all the rest."""

import re


class raises:
    """A block that has to raise an error of the kind, whose text has a match of the pattern; it is
    the value afterwards."""

    def __init__(self, kind, match=""):
        self.kind, self.match, self.value = kind, match, None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        assert kind is not None, f"nothing was raised, expected is {self.kind.__name__}"
        if not issubclass(kind, self.kind):
            return False
        self.value = value
        assert re.search(self.match, str(value)), f"{value!r} has no match of {self.match!r}"
        return True
