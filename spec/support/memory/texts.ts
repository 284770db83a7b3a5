// Texts of queries for the types of the library that take as much memory as a request line can make them take, by kind.

import type { PermissionTable } from '../../../lib'

export interface Kind {
  readonly name: string
  /** Behind `/api/`: no two alike, and none with a plan or a part of a plan in common with another. */
  readonly path: (text: number, list: string) => string
  /** Of a kind with cursors: the first page, which tells what its list is called. */
  readonly first?: string
  /** Of whoever asks, who has all of these roles; where absent, all is granted. */
  readonly permissions?: PermissionTable
}

const upTo = (count: number): readonly number[] => [...Array(count).keys()]
const joined = (count: number, make: (index: number) => string): string => upTo(count).map(make).join('&')

const below = (text: number): string => `[id][$gt]=-${String(text)}`
const family = (levels: number): string =>
  upTo(levels)
    .map((level) => (level % 2 === 0 ? '[children][populate]' : '[parent][populate]'))
    .join('')

const toOne = ['author', 'sequel', 'prequel', 'cover', 'plates', 'seo', 'notes', 'genres']

const sorted = 'books?sort=title,blurb,author.name,sequel.title'
const sortedFar = 'genres?sort=books.genres.name,books.author.name,books.sequel.author.name'
const which = ['$some', '$none', '$every']

/** As long as values of cursors may be, as far as there is room for them. */
const cursor = (list: string, text: number): string => {
  const values = upTo(4).map((at) => `t${'x'.repeat(600)}${String(at + 10 * text)}`)
  return Buffer.from(JSON.stringify([list, text, ...values])).toString('base64url')
}

const others = { author: true, country: true, genre: true, review: true } as const

/** Which rows show an attribute is asked at every level. */
const apart: PermissionTable = {
  one: {
    find: { ...others, book: { where: { author: { name: 'Ada' } }, fields: ['title', 'sequel', 'genres'] } },
  },
  two: {
    find: {
      ...others,
      book: { where: { genres: { $some: { name: 'a' } } }, fields: ['year', 'blurb', 'prequel', 'cover'] },
    },
  },
}

export const kinds: readonly Kind[] = [
  { name: 'one condition', path: (text) => `books?filters${below(text)}` },
  { name: 'everything', path: (text) => `books?populate=*&filters${below(text)}` },
  { name: 'a word', path: (text) => `books?_q=word${String(text)}` },
  { name: 'a long value', path: (text) => `books?filters[title]=${'x'.repeat(7000)}${String(text)}` },
  {
    name: 'many conditions',
    path: (text) =>
      `books?${joined(300, (index) => `filters[$or][${String(index)}][year]=${String(index + 1000 * text)}`)}`,
  },
  {
    name: 'many values',
    path: (text) => `books?${joined(450, (index) => `filters[year][$in]=${String(index + 1000 * text)}`)}`,
  },
  {
    name: 'many links side by side',
    path: (text) =>
      `books?${joined(30, (index) => `filters[$and][${String(index)}][genres][name]=${String(index + 1000 * text)}`)}`,
  },
  {
    name: 'many links behind each other',
    path: (text) => `genres?filters${'[parent][children]'.repeat(4)}[id]=${String(text)}`,
  },
  {
    name: 'many sort keys',
    path: (text) =>
      `books?sort=title,year,author.name,author.age,author.country.name,sequel.title,sequel.author.name,documentId&filters${below(text)}`,
  },
  {
    name: 'long cursors',
    first: `${sorted}&pagination[after]=`,
    path: (text, list) => `${sorted}&pagination[after]=${cursor(list, text)}`,
  },
  { name: 'sorts through lists of lists', path: (text) => `${sortedFar}&filters${below(text)}` },
  {
    name: 'which of many side by side',
    path: (text) =>
      `books?${joined(30, (index) => `filters[$and][${String(index)}][genres][${which[index % 3] ?? ''}][name]=${String(index + 1000 * text)}`)}`,
  },
  {
    name: 'how many side by side',
    path: (text) =>
      `books?${joined(30, (index) => `filters[$and][${String(index)}][genres][$count][$ne]=${String(index + 1000 * text)}`)}`,
  },
  {
    name: 'another locale',
    path: (text) =>
      `memos?locale=a&fallback=${upTo(10)
        .map((at) => `l${String(at + 10 * text)}`)
        .join(',')}`,
  },
  {
    name: 'a condition on each relation',
    path: (text) => `books?${toOne.map((name) => `populate[${name}][filters]${below(text)}`).join('&')}`,
  },
  {
    name: 'many levels',
    path: (text) => `genres?populate${family(200)}[children][filters]${below(text)}`,
  },
  {
    name: 'a condition on each of many levels',
    path: (text) =>
      `genres?${joined(32, (level) => `populate${family(level)}[${level % 2 === 0 ? 'children' : 'parent'}][filters]${below(text)}`)}`,
  },
  {
    name: 'what some entries show',
    path: (text) => `books?populate=*&filters${below(text)}`,
    permissions: apart,
  },
  {
    name: 'what some entries show, asked for and led on from',
    path: (text) =>
      `books?${joined(6, (level) => `populate${'[sequel][populate]'.repeat(level)}[prequel][filters]${below(text)}`)}&filters[title]=a&filters[genres]${below(text)}`,
    permissions: apart,
  },
  {
    name: 'zones in zones',
    path: (text) =>
      `books?${joined(6, (level) => {
        const nest = '[sections][on][page.pick][populate][books][populate]'.repeat(level)
        return `populate${nest}[sections][on][page.pick][populate][books][filters]${below(text)}`
      })}`,
  },
]
