/** Remembers the address of the run that the Lab page showed last, so that the viewer finds it again. */
class Pages {
  lab = $state('#/lab')
}

export const pages = new Pages()
