# SPDX-License-Identifier: Apache-2.0
"""Scenes in three dimensions, drawn on a picture: what is behind first, each thing in one colour.

Lambert's cosine law lights it: a colour times the ambient light and what the point lights send
along the normal.
"""

from enum import Enum

import numpy as np

from joggle.fields._pictures.gui import each
from joggle.fields._pictures.pixels import array_of, points_of

_GREY = (0.5, 0.5, 0.5)


class ProjectionMode(Enum):
    """Whether what is far looks smaller."""

    Perspective = 0
    Orthogonal = 1


class Camera:
    """From where a scene is seen, and how. Angles are in degrees."""

    def __init__(self):
        self.curr_position = np.zeros(3)
        self.curr_lookat = np.array([0.0, 0.0, 1.0])
        self.curr_up = np.array([0.0, 1.0, 0.0])
        self._fov, self._near, self._far = 45.0, 0.1, 1000.0
        self._mode = ProjectionMode.Perspective
        self._sides = {"left": -1.0, "right": 1.0, "top": 1.0, "bottom": -1.0}

    def position(self, x, y, z):
        """Sets the camera's position."""
        self.curr_position = np.array([x, y, z], float)

    def lookat(self, x, y, z):
        """Sets the point that the camera looks at."""
        self.curr_lookat = np.array([x, y, z], float)

    def up(self, x, y, z):
        """Sets the direction that is up."""
        self.curr_up = np.array([x, y, z], float)

    def fov(self, fov):
        """The angle between its upper and lower edge."""
        self._fov = float(fov)

    def z_near(self, z_near):
        """Sets the near plane: nearer points are not seen."""
        self._near = float(z_near)

    def z_far(self, z_far):
        """Sets the far plane: farther points are not seen."""
        self._far = float(z_far)

    def projection_mode(self, mode):
        """Whether what is far looks smaller."""
        self._mode = ProjectionMode(mode)

    def left(self, left):
        """The left edge, of an orthogonal one."""
        self._sides["left"] = float(left)

    def right(self, right):
        """The right edge."""
        self._sides["right"] = float(right)

    def top(self, top):
        """The upper edge."""
        self._sides["top"] = float(top)

    def bottom(self, bottom):
        """The lower edge."""
        self._sides["bottom"] = float(bottom)

    def track_user_inputs(
        self, window, movement_speed=1.0, yaw_speed=2.0, pitch_speed=2.0, hold_key=None
    ):
        """Follows the keys that are pressed: none is."""

    def get_view_matrix(self):
        """From the scene to the camera, for rows of four numbers as @ takes them."""
        forward = self.curr_lookat - self.curr_position
        forward = forward / np.linalg.norm(forward)
        side = np.cross(forward, self.curr_up)
        side = side / np.linalg.norm(side)
        matrix = np.eye(4)
        matrix[:3, :3] = np.stack([side, np.cross(side, forward), -forward], 1)
        matrix[3, :3] = -self.curr_position @ matrix[:3, :3]
        return matrix

    def get_projection_matrix(self, aspect):
        """From the camera to the picture, whose width is `aspect` heights: -1 to 1 across it, and
        0 to 1 from near to far."""
        matrix, depth = np.zeros((4, 4)), self._far - self._near
        if self._mode is ProjectionMode.Orthogonal:
            left, right, top, bottom = (self._sides[n] for n in ("left", "right", "top", "bottom"))
            matrix[0, 0], matrix[3, 0] = 2 / (right - left), -(right + left) / (right - left)
            matrix[1, 1], matrix[3, 1] = 2 / (top - bottom), -(top + bottom) / (top - bottom)
            matrix[2, 2], matrix[3, 2], matrix[3, 3] = -1 / depth, -self._near / depth, 1
            return matrix
        scale = 1 / np.tan(np.radians(self._fov) / 2)
        matrix[0, 0], matrix[1, 1], matrix[2, 3] = scale / aspect, scale, -1
        matrix[2, 2], matrix[3, 2] = -self._far / depth, -self._far * self._near / depth
        return matrix

    def seen(self, points, aspect):
        """Places on the picture, how large one unit is there in parts of its height, and depths;
        those that are not seen have no depth: NaN."""
        rows = np.pad(points, ((0, 0), (0, 1)), constant_values=1.0) @ self.get_view_matrix()
        flat = rows @ self.get_projection_matrix(aspect)
        with np.errstate(divide="ignore", invalid="ignore"):
            places = flat[:, :2] / flat[:, 3:] / 2 + 0.5
            units = self.get_projection_matrix(aspect)[1, 1] / flat[:, 3] / 2
        depths = np.where(
            (-rows[:, 2] >= self._near) & (-rows[:, 2] <= self._far), -rows[:, 2], np.nan
        )
        return places, units, depths


def make_camera():
    """A camera."""
    return Camera()


class Scene:
    """Lights and things, until it is drawn: then all but the camera goes."""

    def __init__(self):
        self.camera = Camera()
        self._begin()

    def _begin(self):
        self.ambient, self.lights, self.things = np.zeros(3), [], []

    def set_camera(self, camera):
        """The camera that sees it."""
        self.camera = camera

    def ambient_light(self, color):
        """Light that comes from everywhere."""
        self.ambient = np.asarray(color, float)[:3]

    def point_light(self, pos, color):
        """A light at a place."""
        self.lights.append((np.asarray(pos, float)[:3], np.asarray(color, float)[:3]))

    def particles(
        self,
        centers,
        radius,
        color=_GREY,
        per_vertex_color=None,
        per_vertex_radius=None,
        index_offset=0,
        index_count=None,
    ):
        """Balls; index_offset and index_count choose some."""
        part = slice(index_offset, None if index_count is None else index_offset + index_count)
        points = points_of(centers, 3)
        radii = each(radius if per_vertex_radius is None else per_vertex_radius, len(points))
        colors = _colors(color if per_vertex_color is None else per_vertex_color, len(points))
        self.things.append((_draw_balls, points[part], np.array(radii)[part], colors[part]))

    def lines(
        self,
        vertices,
        width,
        indices=None,
        color=_GREY,
        per_vertex_color=None,
        vertex_offset=0,
        vertex_count=None,
        index_offset=0,
        index_count=None,
    ):
        """Lines between each two vertices, or between those that indices name. width in pixels."""
        points, chosen = _chosen(
            vertices, indices, 2, vertex_offset, vertex_count, index_offset, index_count
        )
        colors = _mean_colors(color, per_vertex_color, chosen)
        self.things.append((_draw_lines, points[chosen], float(width), colors))

    def mesh(
        self,
        vertices,
        indices=None,
        normals=None,
        color=_GREY,
        per_vertex_color=None,
        two_sided=False,
        vertex_offset=0,
        vertex_count=None,
        index_offset=0,
        index_count=None,
        show_wireframe=False,
    ):
        """Triangles of each three vertices, or of those that indices name, with a normal for each
        vertex or their own. two_sided: seen from behind as well. show_wireframe: their edges."""
        points, chosen = _chosen(
            vertices, indices, 3, vertex_offset, vertex_count, index_offset, index_count
        )
        colors = _mean_colors(color, per_vertex_color, chosen)
        corners = points[chosen]
        given = None if normals is None else points_of(normals, 3)[chosen].mean(1)
        if show_wireframe:
            edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
            self.things.append((_draw_lines, edges, 1.0, np.tile(colors, (3, 1))))
        else:
            self.things.append((_draw_mesh, corners, (given, two_sided), colors))

    def mesh_instance(self, *args, **kwargs):
        """Refused."""
        raise NotImplementedError("mesh_instance: call mesh for each, with vertices moved to it")

    def draw(self, pixels):
        """Draws all on a picture, and begins anew."""
        aspect = pixels.size[0] / pixels.size[1]
        strokes = []  # (depth, how it is drawn)
        for draw, *thing in self.things:
            strokes += draw(self, pixels, aspect, *thing)
        for _, stroke in sorted(strokes, key=lambda stroke: -stroke[0]):
            stroke()
        self._begin()

    def lit(self, points, normals, colors):
        """The colours of surfaces, from 0 to 255."""
        light = np.broadcast_to(self.ambient, colors.shape).copy()
        for place, color in self.lights:
            way = place - points
            lengths = np.linalg.norm(way, axis=-1) * np.linalg.norm(normals, axis=-1)
            cosine = np.maximum((way * normals).sum(-1), 0) / np.maximum(lengths, 1e-30)
            light += cosine[:, None] * color
        return (np.clip(colors * light, 0, 1) * 255 + 0.5).astype(np.uint8).tolist()


def _colors(color, count):
    return np.broadcast_to(np.asarray(array_of(color), float)[..., :3].reshape(-1, 3), (count, 3))


def _mean_colors(color, per_vertex_color, chosen):
    if per_vertex_color is None:
        return _colors(color, len(chosen))
    return _colors(per_vertex_color, len(array_of(per_vertex_color)))[chosen].mean(1)


def _chosen(vertices, indices, corners, vertex_offset, vertex_count, index_offset, index_count):
    """Points, and which of them each line or triangle has."""
    points = points_of(vertices, 3)
    last = len(points) if vertex_count is None else vertex_offset + vertex_count
    if indices is None:
        chosen = np.arange(vertex_offset, last)
    else:
        chosen = np.asarray(array_of(indices), np.int64).reshape(-1) + vertex_offset
    end = None if index_count is None else index_offset + index_count
    chosen = chosen[index_offset:end]
    return points, chosen[: len(chosen) // corners * corners].reshape(-1, corners)


def _draw_balls(scene, pixels, aspect, points, radii, colors):
    places, units, depths = scene.camera.seen(points, aspect)
    towards = scene.camera.curr_position - points
    shades = scene.lit(points, towards, colors)
    sizes = radii * units * pixels.size[1]
    for k in np.flatnonzero(~np.isnan(depths)):
        yield depths[k], _Stroke(pixels.discs, places[k : k + 1], [sizes[k]], [shades[k]])


def _draw_lines(scene, pixels, aspect, ends, width, colors):
    places, _, depths = scene.camera.seen(ends.reshape(-1, 3), aspect)
    places, depths = places.reshape(-1, 2, 2), depths.reshape(-1, 2).mean(1)
    shades = (np.clip(colors, 0, 1) * 255 + 0.5).astype(np.uint8).tolist()
    for k in np.flatnonzero(~np.isnan(depths)):
        a, b = places[k, :1], places[k, 1:]
        yield depths[k], _Stroke(pixels.segments, a, b, [width], [shades[k]])


def _draw_mesh(scene, pixels, aspect, corners, shading, colors):
    normals, two_sided = shading
    places, _, depths = scene.camera.seen(corners.reshape(-1, 3), aspect)
    places, depths = places.reshape(-1, 3, 2), depths.reshape(-1, 3).mean(1)
    middles = corners.mean(1)
    if normals is None:
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    behind = ((scene.camera.curr_position - middles) * normals).sum(-1) < 0
    normals = np.where(behind[:, None], -normals, normals)
    shades = scene.lit(middles, normals, colors)
    shown = ~np.isnan(depths) & (~behind | two_sided)
    for k in np.flatnonzero(shown):
        yield depths[k], _Stroke(pixels.polygons, places[k : k + 1], [shades[k]])


class _Stroke:
    """A call that is put off."""

    def __init__(self, call, *args):
        self.call, self.args = call, args

    def __call__(self):
        self.call(*self.args)
