/** The version of the package that the page was built from. */
declare const LAB_VERSION: string
