# SPDX-License-Identifier: Apache-2.0
"""pytest-xdist's scheduler of files, without what grows with the square of the number of tests: it
searches all tests for each that it sends, and counts those that have ended with each that ends."""

from xdist.scheduler import LoadFileScheduling


class Collected(list):
    """The tests of a process in their order, which knows the place of each."""

    def __init__(self, tests):
        super().__init__(tests)
        self._places = {test: place for place, test in enumerate(self)}

    def index(self, test):
        return self._places[test]


class FileScheduling(LoadFileScheduling):
    def add_node_collection(self, node, collection):
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Collected(collection)

    def mark_test_complete(self, node, item_index, duration=0):
        """A file of which all tests have ended is forgotten."""
        file = self._split_scope(self.registered_collections[node][item_index])
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        if item_index == self._last_of(node, file):
            del work[file]

    def _last_of(self, node, file):
        """The tests of a file are sent, and end, in their order."""
        return self.registered_collections[node].index(
            next(reversed(self.assigned_work[node][file]))
        )
