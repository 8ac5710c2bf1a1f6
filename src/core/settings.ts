/** The type of a simulated run's configuration as text: the flags of `simulate`, the head of a trace, a link to the lab. */
export type Settings = readonly (readonly [key: string, value: string])[]
