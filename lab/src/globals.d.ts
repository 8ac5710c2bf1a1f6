/** Declares the global constant LAB_VERSION: the version of the package that the page was built from. */
declare const LAB_VERSION: string
