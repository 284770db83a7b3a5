/** One way to ask for what an attribute says: `names` lead to the attribute, `guess` is what it might say. */
export interface Surface {
  readonly name: string
  readonly query: (names: readonly string[], guess: string) => string
}

const inBrackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

const operators: Readonly<Record<string, (at: string, guess: string) => string>> = {
  equal: (at, guess) => `${at}=${guess}`,
  $eqi: (at, guess) => `${at}[$eqi]=${guess.toUpperCase()}`,
  $ne: (at, guess) => `${at}[$ne]=${guess}`,
  $in: (at, guess) => `${at}[$in][0]=${guess}&${at}[$in][1]=${guess}`,
  $notIn: (at, guess) => `${at}[$notIn][0]=${guess}`,
  $lt: (at, guess) => `${at}[$lt]=${guess}`,
  $gte: (at, guess) => `${at}[$gte]=${guess}`,
  $between: (at, guess) => `${at}[$between][0]=${guess}&${at}[$between][1]=${guess}`,
  $contains: (at, guess) => `${at}[$contains]=${guess}`,
  $startsWith: (at, guess) => `${at}[$startsWith]=${guess.slice(0, -1)}`,
  $endsWithi: (at, guess) => `${at}[$endsWithi]=${guess.slice(2)}`,
  '$not and $eq': (at, guess) => `${at}[$not][$eq]=${guess}`,
}

const ofOperators = (prefix: string, name: string, more = ''): Surface[] =>
  Object.entries(operators).map(([operator, write]) => ({
    name: `${name} by ${operator}`,
    query: (names, guess) => write(`${prefix}${inBrackets(names)}`, guess) + more,
  }))

const group = (name: string, write: (at: string) => string): Surface => ({
  name: `filters within ${name}`,
  query: (names, guess) => `${write(inBrackets(names))}[$eq]=${guess}`,
})

/** Conditions on the entries that are asked for. */
export const filterSurfaces: readonly Surface[] = [
  ...ofOperators('filters', 'filters'),
  group('$and', (at) => `filters[$and][0][id][$gt]=0&filters[$and][1]${at}`),
  group('$or', (at) => `filters[$or][0][id]=-5&filters[$or][1]${at}`),
  group('$not', (at) => `filters[$not]${at}`),
  group('$not in $and in $or', (at) => `filters[$or][0][$and][0][$not]${at}`),
]

/** Only the total, or only whether there is one, or in the older form, or more than is shown. */
export const sizeSurfaces: readonly Surface[] = [
  ...['page=50', 'pageSize=1', 'withCount=true', 'withCount=false', 'start=1', 'limit=1'].map((page) => ({
    name: `the page ${page} of filters`,
    query: (names: readonly string[], guess: string) =>
      `filters${inBrackets(names)}[$contains]=${guess}&pagination[${page.replace('=', ']=')}`,
  })),
]

export const sortSurfaces: readonly Surface[] = [
  { name: 'sort', query: (names) => `sort=${names.join('.')}` },
  { name: 'sort down', query: (names) => `sort=${names.join('.')}:desc` },
  { name: 'sort in a list', query: (names) => `sort[0]=id&sort[1]=${names.join('.')}:desc` },
  { name: 'sort as an object', query: (names) => `sort${inBrackets(names)}=desc` },
  { name: 'sort behind the page', query: (names) => `sort=${names.join('.')}&pagination[pageSize]=1` },
]

export const fieldSurfaces: readonly Surface[] = [
  { name: 'fields', query: (names) => `fields=${names.join('.')}` },
  { name: 'fields in a list', query: (names) => `fields[0]=title&fields[1]=${names.join('.')}` },
]

/** What is asked of the entries that a link leads to; the first name is the link. */
export const populateSurfaces: readonly Surface[] = [
  ...(['filters', 'sort', 'fields', 'on'] as const).map((key): Surface => ({
    name: `${key} within populate`,
    query: ([link = '', ...names], guess) => {
      const at = `populate[${link}]`
      if (key === 'filters') return `${at}[filters]${inBrackets(names)}[$startsWith]=${guess}`
      if (key === 'on') return `${at}[on][shared.seo][filters]${inBrackets(names)}=${guess}`
      return `${at}[${key}]=${names.join('.')}`
    },
  })),
  {
    name: 'the count within populate',
    query: ([link = '', ...names], guess) =>
      `populate[${link}][count]=true&populate[${link}][filters]${inBrackets(names)}=${guess}`,
  },
  {
    name: 'the nested page',
    query: ([link = '', ...names], guess) =>
      `populate[${link}][pagination][withCount]=true&populate[${link}][filters]${inBrackets(names)}=${guess}`,
  },
  {
    name: 'a nested page of one',
    query: ([link = '', ...names]) =>
      `populate[${link}][pagination][pageSize]=1&populate[${link}][sort]=${names.join('.')}:desc`,
  },
]

/** Parameters that no query has, and names by which tables and columns could be meant. */
export const oddSurfaces: readonly Surface[] = [
  ...['where', 'lookup', '_where', 'params', 'filters[lookup]', 'filters[where]', '$and[0]'].map((name) => ({
    name,
    query: (names: readonly string[], guess: string) => `${name}${inBrackets(names)}[$startsWith]=${guess}`,
  })),
  ...['t0', 't1', 'letters', 'api::letter.letter'].map((table) => ({
    name: `the alias ${table}`,
    query: (names: readonly string[], guess: string) =>
      `filters${inBrackets(names.slice(0, -1))}[${table}.${names.at(-1) ?? ''}][$startsWith]=${guess}`,
  })),
  {
    name: 'the column',
    query: (names, guess) => `filters${inBrackets(names).replace(/[A-Z]/g, '_$&').toLowerCase()}=${guess}`,
  },
]

export const searchSurface: Surface = { name: '_q', query: (_names, guess) => `_q=${guess}` }
