/** The faults of the frames in one direction. Probabilities are between 0 and 1. */
export interface Faults {
  /** Nothing arrives, not even the end of the connection. */
  readonly cut: boolean
  /** Nothing arrives until the stall ends. */
  readonly stall: boolean
  /** The delay of every frame, or the range from which it is drawn. Frames keep their order. */
  readonly delayMs: number | readonly [min: number, max: number]
  readonly loss: number
  readonly duplicate: number
  /** A frame waits until the next one has overtaken it, or for `reorderMs`. */
  readonly reorder: number
  readonly reorderMs: number
  /** One bit of the frame is flipped, its length included. */
  readonly corrupt: number
}

export const NO_FAULTS: Faults = {
  cut: false,
  stall: false,
  delayMs: 0,
  loss: 0,
  duplicate: 0,
  reorder: 0,
  reorderMs: 20,
  corrupt: 0,
}
