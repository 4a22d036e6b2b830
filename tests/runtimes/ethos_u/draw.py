"""Choices at random, of which one may be put at or beyond what the compiler takes."""


class Draw:
    """`draw(name, usual, edge)` is one of `usual`, or one of `edge` where `name` is what is put at the edge."""

    def __init__(self, rng, edge=None):
        self.rng = rng
        self.edge = edge
        self.names = []  # what could be put at the edge
        self.about = ''

    def __call__(self, name, usual, edge=()):
        if edge and name not in self.names:
            self.names.append(name)
        if edge and name == self.edge:
            chosen = edge[int(self.rng.integers(len(edge)))]
            self.about = f'{name} {chosen}'
            return chosen
        return usual[int(self.rng.integers(len(usual)))]

    def chance(self, share):
        return bool(self.rng.random() < share)

    def size(self, low, high):
        return int(self.rng.integers(low, high))
