/** The strongly connected components of a graph, by Tarjan's algorithm without recursion. */

export interface Graph {
  readonly size: number
  /** Targets of node i are target(first(i)) … target(first(i + 1) − 1). */
  first(i: number): number
  target(edge: number): number
}

/** Calls `found` with each component's nodes; the array is reused. Every component that it can reach came before. */
export function stronglyConnectedComponents(
  graph: Graph,
  found: (members: Int32Array, count: number) => void,
): void {
  const { size } = graph
  const index = new Int32Array(size) // 0: not visited; else the number of its visit, then DONE
  const low = new Int32Array(size)
  const stack = new Int32Array(size)
  const path = new Int32Array(size)
  const edge = new Float64Array(size)
  const DONE = 0x7fffffff
  let visits = 0
  let top = 0
  let depth = 0

  const enter = (node: number): void => {
    index[node] = low[node] = ++visits
    edge[node] = graph.first(node)
    stack[top++] = node
    path[depth++] = node
  }

  const leave = (node: number): void => {
    depth -= 1
    if (depth > 0) low[path[depth - 1]] = Math.min(low[path[depth - 1]], low[node])
    if (low[node] !== index[node]) return
    let bottom = top - 1
    while (stack[bottom] !== node) bottom -= 1
    for (let i = bottom; i < top; i++) index[stack[i]] = DONE
    found(stack.subarray(bottom, top), top - bottom)
    top = bottom
  }

  for (let root = 0; root < size; root++) {
    if (index[root] !== 0) continue
    enter(root)
    for (;;) {
      if (depth === 0) break
      const node = path[depth - 1]
      if (edge[node] === graph.first(node + 1)) leave(node)
      else {
        const next = graph.target(edge[node]++)
        if (index[next] === 0) enter(next)
        else if (index[next] !== DONE && index[next] < low[node]) low[node] = index[next]
      }
    }
  }
}
