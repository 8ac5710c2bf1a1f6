/**
 * The type of the faults that a proxy applies to the frames in one direction, and the value without faults.
 * Probabilities are between 0 and 1.
 */
export type Faults = Readonly<typeof NO_FAULTS>

export const NO_FAULTS = {
  /** Nothing arrives, not even the end of the connection. */
  cut: false,
  /** Nothing arrives until the stall ends. */
  stall: false,
  /** The delay of every frame, or the range from which it is drawn. Frames keep their order. */
  delayMs: 0 as number | readonly [min: number, max: number],
  loss: 0,
  duplicate: 0,
  /** A frame waits until the next one has overtaken it, or for `reorderMs`. */
  reorder: 0,
  reorderMs: 20,
  /** One bit of the frame is flipped, its length included. */
  corrupt: 0,
}
