import type { SeedContent } from '../../extensions/seed'

interface Named {
  readonly name: string
  readonly [attribute: string]: unknown
}

interface Author extends Named {
  readonly country: Named | null
  readonly books: readonly Book[]
}

interface Genre extends Named {
  readonly parent: Genre | null
  readonly books: readonly Book[]
}

interface Book {
  readonly title: string
  readonly year: number
  readonly author: Author | null
  readonly genres: readonly Genre[]
  readonly notes: readonly { readonly text: string }[]
  readonly cover: Named | null
  readonly [attribute: string]: unknown
}

/** The same content twice: to be written to a database, and as plain objects that lead to each other. */
export interface Shelves {
  readonly content: SeedContent
  readonly rows: { readonly books: readonly Book[]; readonly authors: readonly Author[] }
}

const upTo = (count: number): number[] => [...Array(count).keys()]
const called = (letter: string, number: number): string => letter + String(number)

const authors = 13
const genres = 7

/** Every thirteenth book has no author, every fifth no genre, every fourth no cover. */
const authorOf = (book: number): number | null => (book % authors === 12 ? null : book % authors)
const genresOf = (book: number): number[] => (book % 5 === 0 ? [] : [...new Set([book % 7, (book * 3) % 7])])
const notesOf = (book: number): string[] => upTo(book % 3).map((note) => called('n', (book + note) % 3))
const coverOf = (book: number): string | null => (book % 4 === 0 ? null : `p${String(book % 3)}.png`)
const countryOf = (author: number): number | null => (author % 3 === 2 ? null : author % 3)
const parentOf = (genre: number): number | null => (genre % 2 === 0 ? null : genre - 1)

const linked = (letter: string, number: number | null): object =>
  number === null
    ? {}
    : { [letter === 'a' ? 'author' : letter === 'c' ? 'country' : 'parent']: called(letter, number) }

function contentOf(count: number): SeedContent {
  return {
    country: upTo(2).map((number) => ({ $ref: called('c', number), name: called('c', number) })),
    genre: upTo(genres).map((number) => ({
      ...{ $ref: called('g', number), name: called('g', number) },
      ...linked('g', parentOf(number)),
    })),
    author: upTo(authors).map((number) => ({
      ...{ $ref: called('a', number), name: called('a', number) },
      ...linked('c', countryOf(number)),
    })),
    book: upTo(count).map((number) => {
      const cover = coverOf(number)
      return {
        ...{
          title: called('B', number),
          year: number,
          genres: genresOf(number).map((one) => called('g', one)),
        },
        ...{ notes: notesOf(number).map((text) => ({ text })), ...linked('a', authorOf(number)) },
        ...(cover === null ? {} : { cover: { name: cover } }),
      }
    }),
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function rowsOf(count: number): Shelves['rows'] {
  const countries = upTo(2).map((number): Named => ({ name: called('c', number) }))
  const kinds = upTo(genres).map((number) => ({
    name: called('g', number),
    parent: null,
    books: [] as Book[],
  })) as (Mutable<Genre> & { books: Book[] })[]
  for (const [number, kind] of kinds.entries()) kind.parent = kinds[parentOf(number) ?? -1] ?? null
  const people = upTo(authors).map((number) => ({
    name: called('a', number),
    country: countries[countryOf(number) ?? -1] ?? null,
    books: [] as Book[],
  }))
  const books = upTo(count).map((number): Book => {
    const by = people[authorOf(number) ?? -1]
    const of = genresOf(number).flatMap((one) => kinds[one] ?? [])
    const cover = coverOf(number)
    const book = {
      ...{ title: called('B', number), year: number, author: by ?? null, genres: of },
      ...{ notes: notesOf(number).map((text) => ({ text })), cover: cover === null ? null : { name: cover } },
    }
    by?.books.push(book)
    for (const kind of of) kind.books.push(book)
    return book
  })
  return { books, authors: people }
}

export const shelves = (count: number): Shelves => ({ content: contentOf(count), rows: rowsOf(count) })
