# SPDX-License-Identifier: Apache-2.0
"""The handwritten digits of scikit-learn, taken where NumPy has them."""

from sklearn.datasets import load_digits

import joggle as jg
from digits.handover import address_of

MAX_PIXEL = 16
CLASSES = 10
BATCH_STRIDE = 15  # batch i is every fifteenth image from i on, a view like any slice
TEST_STRIDE = 5  # every fifth image is held out, so batch i is for training if i % 5 > 0
TRAINING_BATCHES = [i for i in range(BATCH_STRIDE) if i % TEST_STRIDE]


def load():
    """The images scaled to 0..1, one-hot targets, and the labels as NumPy has them."""
    images, labels = load_digits(return_X_y=True)
    x, y = jg.from_dlpack(images), jg.from_dlpack(labels)
    print(f"{images.shape[0]} images of {images.shape[1]} pixels, {images.dtype}")
    print(f"  NumPy's address   {address_of(images):#x}, strides {images.strides} bytes")
    print(f"  joggle's address  {address_of(x):#x}, strides {x.strides} bytes")
    assert address_of(images) == address_of(x), "the images were copied on their way in"
    scaled = x.astype(jg.float32) / MAX_PIXEL
    targets = (y[:, None] == jg.arange(CLASSES)).astype(jg.float32)
    jg.eval(scaled, targets)
    return scaled, targets, labels
