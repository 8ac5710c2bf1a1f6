/** Finds the strongly connected components of a graph: Tarjan's algorithm without recursion. */

export interface Graph {
  readonly size: number
  first(node: number): number
  /** The target of the edge at this place; -1: the node has no more. */
  target(node: number, edge: number): number
  after(edge: number): number
}

/** Calls `found` with the nodes of each component, after all that it can reach. The array is reused. */
export function stronglyConnectedComponents(
  graph: Graph,
  found: (component: Int32Array) => void,
): void {
  const { size } = graph
  const index = new Int32Array(size) // 0: not visited; then the number of the visit; DONE: in a component
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
    found(stack.subarray(bottom, top))
    top = bottom
  }

  for (let root = 0; root < size; root++) {
    if (index[root] !== 0) continue
    enter(root)
    for (;;) {
      if (depth === 0) break
      const node = path[depth - 1]
      const next = graph.target(node, edge[node])
      if (next < 0) leave(node)
      else {
        edge[node] = graph.after(edge[node])
        if (index[next] === 0) enter(next)
        else if (index[next] !== DONE && index[next] < low[node]) low[node] = index[next]
      }
    }
  }
}
