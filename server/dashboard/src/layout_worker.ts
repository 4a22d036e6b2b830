// Positions for the nodes of a graph, away from the page's own thread.
import {layout, type LayoutInput} from './layout';

onmessage = (message: MessageEvent<LayoutInput>) => {
  const result = layout(message.data);
  postMessage(result, {transfer: [result.x.buffer, result.y.buffer]});
};
