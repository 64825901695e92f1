# SPDX-License-Identifier: Apache-2.0
"""Windows that nobody sees: programs written for Taichi's GUI and GGUI run without a display, and
their frames can be kept. In the order of reading: frames.py, pixels.py, gui.py, window.py,
scene.py."""
