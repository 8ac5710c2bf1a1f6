/** How many steps of a run the page shows, how many it shows before the rest is there, and from how many members on it asks first. */
export const MOST_STEPS = 150_000
export const PREVIEW_STEPS = 3000
export const MOST_MEMBERS = 1000
