"""Optional: see _native.c."""
from typing import Any, Callable, Dict, Iterable, Tuple, Type

import torch
import torch.fx


def write(field: int, nodes: Iterable[torch.fx.Node], rest: Callable[[torch.fx.Node], bytes],
          node_type: Type[torch.fx.Node], tensor_type: Type[torch.Tensor], new_spec: Callable[[Any], int], constant: Callable[[torch.fx.Node], bytes], values: Dict[torch.fx.Node, int],
          node_ids: Dict[torch.fx.Node, int], annotations: Dict[torch.fx.Node, Any],
          constants: Dict[torch.fx.Node, torch.Tensor], types: Dict[Tuple[torch.dtype, torch.Size], bytes],
          specs: Dict[int, int], calls: Dict[int, Tuple[Any, ...]], attributes: Dict[Tuple[Any, ...], bytes],
          frames: Dict[str, bytes], scopes: Dict[str, bytes], /) -> bytes:
    """A repeated field of Graph, `values` or `nodes`, serialized: of each node what `rest` gives for it, or would."""
