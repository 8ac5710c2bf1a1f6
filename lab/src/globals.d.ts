/** The version of the package that the page was built from. */
declare const __VERSION__: string
