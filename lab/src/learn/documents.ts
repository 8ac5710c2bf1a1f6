/** The documents that the lessons follow: their names by author and year instead of their numbers, and the reading list. */

/** Each document by its number in this project. */
const NAMES: Readonly<Record<string, string>> = {
  '000': 'Park 2008',
  '001': 'Park 2004',
  '002': 'Gupta',
  '003': 'Rafailescu 2017',
  '004': 'Hirata',
}

/** Writes the numbers of documents as names. A number such as 100,000 stays. */
export function withNames(text: string): string {
  return text.replaceAll(/(?<![\w,.])00[0-4](?![\w,]\d|\d)/gu, (number) => NAMES[number])
}

export interface Reading {
  readonly author: string
  readonly title: string
  /** What to read it for. */
  readonly about: string
}

export const READING_LIST: readonly Reading[] = [
  {
    author: 'Le Lann 1977',
    title: 'Distributed systems – towards a formal approach',
    about: 'the first election on a ring',
  },
  {
    author: 'Chang and Roberts 1979',
    title:
      'An improved algorithm for decentralized extrema-finding in circular configurations of processes',
    about: 'fewer messages on the ring; Hirata teaches it',
  },
  {
    author: 'Hirschberg and Sinclair 1980',
    title: 'Decentralized extrema-finding in circular configurations of processors',
    about: 'a ring with messages both ways',
  },
  {
    author: 'Garcia-Molina 1982',
    title: 'Elections in a distributed computing system',
    about: 'the Bully and the Invitation algorithm, with their assumptions',
  },
  {
    author: 'Peterson 1982',
    title: 'An O(n log n) unidirectional algorithm for the circular extrema problem',
    about: 'as few messages in one direction',
  },
  {
    author: 'Itai and Rodeh 1990',
    title: 'Symmetry breaking in distributed networks',
    about: 'members without names',
  },
  {
    author: 'Chandra and Toueg 1996',
    title: 'Unreliable failure detectors for reliable distributed systems',
    about: 'what a detector may promise',
  },
  {
    author: 'Aguilera, Delporte-Gallet, Fauconnier and Toueg 2001',
    title: 'Stable leader election',
    about: 'leaders that are not replaced without need',
  },
  {
    author: 'Park 2004',
    title: 'An Efficient Coordinator Election Algorithm in Synchronous Distributed Systems',
    about: 'the Bully with a failure detector',
  },
  {
    author: 'Park 2008',
    title: 'An Election Algorithm with Failure Detectors in Distributed Systems',
    about: 'Bully_FD, with its statechart and proofs',
  },
  {
    author: 'Gupta',
    title: 'Leader Election, Lecture D: Bully Algorithm',
    about: 'the Bully as it is taught',
  },
  {
    author: 'Hirata',
    title: 'Chapter 3 – Election algorithms',
    about: 'Chang–Roberts, the ring with a list, and the Bully',
  },
  {
    author: 'Ongaro and Ousterhout 2014',
    title: 'In search of an understandable consensus algorithm',
    about: 'Raft: elections by majority',
  },
  {
    author: 'Rafailescu 2017',
    title: 'Fault Tolerant Leader Election in Distributed Systems',
    about: 'an election by roulette wheel',
  },
]
