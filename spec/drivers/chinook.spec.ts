import Database from 'better-sqlite3'
import express from 'express'
import { knex as makeKnex } from 'knex'
import { contentRouter } from '../../lib'
import { openDatabase } from '../../lib/database'
import { introspect } from '../../tools/introspect'
import { type Asker, askerOf } from '../support/asker'
import { chinookByHand } from '../support/chinook/by-hand'
import { loadChinook, statementsFor } from '../support/chinook/load'
import { eachDatabase } from '../support/databases'

// A database that nobody here made. Each relation, operator and sort is compared with SQL on SQLite, whatever the database.

interface Entry {
  readonly id: number
  readonly [name: string]: unknown
}

interface Body {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: { readonly pageCount: number; readonly total: number } }
}

const reference = new Database(':memory:')
beforeAll(() => {
  for (const statement of statementsFor('sqlite')) reference.exec(statement)
})
afterAll(() => {
  reference.close()
})

const idsBySql = (sql: string): unknown[] => reference.prepare(sql).pluck().all()

/** The table and column of a foreign key, its relation, the table that it refers to, and the relation there. */
const foreignKeys = [
  ['Album', 'ArtistId', 'albums', 'artist', 'Artist', 'artists', 'albums'],
  ['Track', 'AlbumId', 'tracks', 'album', 'Album', 'albums', 'tracks'],
  ['Track', 'MediaTypeId', 'tracks', 'mediaType', 'MediaType', 'media-types', 'tracks'],
  ['Track', 'GenreId', 'tracks', 'genre', 'Genre', 'genres', 'tracks'],
  ['Customer', 'SupportRepId', 'customers', 'supportRep', 'Employee', 'employees', 'customers'],
  ['Employee', 'ReportsTo', 'employees', 'reportsTo', 'Employee', 'employees', 'employees'],
  ['Invoice', 'CustomerId', 'invoices', 'customer', 'Customer', 'customers', 'invoices'],
  ['InvoiceLine', 'InvoiceId', 'invoice-lines', 'invoice', 'Invoice', 'invoices', 'invoiceLines'],
  ['InvoiceLine', 'TrackId', 'invoice-lines', 'track', 'Track', 'tracks', 'invoiceLines'],
] as const

/** A filter, and the same condition in SQL. */
const filters = [
  ['tracks', 'Track', 'filters[milliseconds][$gt]=1000000', 'Milliseconds > 1000000'],
  ['tracks', 'Track', 'filters[milliseconds][$lte]=100000', 'Milliseconds <= 100000'],
  ['tracks', 'Track', 'filters[unitPrice][$eq]=1.99', 'UnitPrice = 1.99'],
  ['tracks', 'Track', 'filters[unitPrice][$ne]=0.99', 'UnitPrice <> 0.99'],
  ['tracks', 'Track', 'filters[composer][$null]=true', 'Composer is null'],
  [
    'tracks',
    'Track',
    'filters[composer][$notNull]=true&filters[genre][name]=Jazz',
    `Composer is not null and GenreId = 2`,
  ],
  ['tracks', 'Track', 'filters[name][$startsWith]=The', `substr(Name, 1, 3) = 'The'`],
  ['tracks', 'Track', 'filters[name][$endsWith]=Blues', `substr(Name, -5) = 'Blues'`],
  ['tracks', 'Track', 'filters[name][$contains]=Love', `instr(Name, 'Love') > 0`],
  ['tracks', 'Track', 'filters[name][$containsi]=LOVE', `instr(lower(Name), 'love') > 0`],
  ['tracks', 'Track', 'filters[name][$eqi]=THE TROOPER', `lower(Name) = 'the trooper'`],
  [
    'tracks',
    'Track',
    'filters[name][$notContains]=a&filters[album][title]=Greatest Hits',
    `instr(Name, 'a') = 0 and AlbumId in (select AlbumId from Album where Title = 'Greatest Hits')`,
  ],
  [
    'invoices',
    'Invoice',
    'filters[total][$between][0]=5&filters[total][$between][1]=8',
    'Total between 5 and 8',
  ],
  ['invoices', 'Invoice', 'filters[invoiceDate][$lt]=2021-02-01', `InvoiceDate < '2021-02-01'`],
  [
    'invoices',
    'Invoice',
    'filters[invoiceDate][$eq]=2021-01-02T00:00:00Z',
    `InvoiceDate = '2021-01-02 00:00:00'`,
  ],
  [
    'customers',
    'Customer',
    'filters[country][$in][0]=Germany&filters[country][$in][1]=Norway',
    `Country in ('Germany', 'Norway')`,
  ],
  ['customers', 'Customer', 'filters[country][$notIn][0]=USA', `Country <> 'USA'`],
  [
    'customers',
    'Customer',
    'filters[$or][0][company][$null]=true&filters[$or][1][fax][$notNull]=true',
    'Company is null or Fax is not null',
  ],
  [
    'customers',
    'Customer',
    'filters[$not][country]=USA&filters[supportRep][lastName]=Park',
    `Country <> 'USA' and SupportRepId = 4`,
  ],
  [
    'artists',
    'Artist',
    'filters[albums][$none][title][$notNull]=true',
    'ArtistId not in (select ArtistId from Album)',
  ],
  [
    'artists',
    'Artist',
    'filters[albums][$count][$gt]=5',
    'ArtistId in (select ArtistId from Album group by ArtistId having count(*) > 5)',
  ],
  [
    'albums',
    'Album',
    'filters[tracks][$every][mediaType][name]=MPEG audio file',
    'AlbumId not in (select AlbumId from Track where MediaTypeId <> 1)',
  ],
  [
    'employees',
    'Employee',
    'filters[reportsTo][reportsTo][lastName]=Adams',
    'ReportsTo in (select EmployeeId from Employee where ReportsTo = 1)',
  ],
  [
    'playlists',
    'Playlist',
    'filters[tracks][genre][name]=Jazz',
    'PlaylistId in (select PlaylistId from PlaylistTrack where TrackId in (select TrackId from Track where GenreId = 2))',
  ],
  [
    'tracks',
    'Track',
    'filters[playlists][name]=Grunge',
    'TrackId in (select TrackId from PlaylistTrack where PlaylistId = 16)',
  ],
] as const

const sorts = [
  ['tracks', 'name', 'select TrackId from Track order by Name, TrackId'],
  ['tracks', 'composer:desc', 'select TrackId from Track order by Composer desc, TrackId'],
  ['tracks', 'milliseconds:desc', 'select TrackId from Track order by Milliseconds desc, TrackId'],
  ['invoices', 'total:desc', 'select InvoiceId from Invoice order by Total desc, InvoiceId'],
  ['invoices', 'invoiceDate:desc', 'select InvoiceId from Invoice order by InvoiceDate desc, InvoiceId'],
  ['customers', 'country,lastName', 'select CustomerId from Customer order by Country, LastName, CustomerId'],
  [
    'albums',
    'artist.name',
    'select AlbumId from Album join Artist using (ArtistId) order by Artist.Name, AlbumId',
  ],
  [
    'artists',
    'albums.$count:desc',
    'select ArtistId from Artist order by (select count(*) from Album a where a.ArtistId = Artist.ArtistId) desc, ArtistId',
  ],
] as const

eachDatabase((database) => {
  const world = database.fresh()
  let asker: Asker

  const serve = async (contentTypes: readonly object[]): Promise<Asker> => {
    const router = world.closing(
      contentRouter({
        contentTypes: contentTypes as never,
        database: world.config,
        permissions: { public: { find: '*' } },
        logger: false,
      }),
    )
    await router.ready()
    return world.closing(await askerOf(express().use(router)))
  }

  beforeAll(async () => {
    await loadChinook(world.knex, database.dialect)
    const knex = makeKnex(world.config)
    const options = { schema: null, tables: [], views: new Map<string, string>() }
    const { definitions } = await introspect(openDatabase(knex), options)
    await knex.destroy()
    asker = await serve([...definitions.values()])
  }, 120_000)

  const get = async (path: string, from = asker): Promise<Body> => {
    const { status, body } = await from.ask(`/${encodeURI(path)}`)
    if (status !== 200) throw new Error(`${String(status)} ${path} ${body}`)
    return JSON.parse(body) as Body
  }

  const all = async (path: string): Promise<readonly Entry[]> => {
    const { data, meta } = await get(`${path}&pagination[pageSize]=100`)
    const found = [...data]
    for (let page = 2; page <= meta.pagination.pageCount; page += 1)
      found.push(...(await get(`${path}&pagination[pageSize]=100&pagination[page]=${String(page)}`)).data)
    return found
  }

  const keyOf = (table: string): string => `${table}Id`

  it.each(foreignKeys)('%s.%s is the relation %s.%s, and its inverse', async (...foreignKey) => {
    const [table, column, types, relation, target, targets, inverse] = foreignKey
    const pairs = reference
      .prepare(`select ${keyOf(table)}, ${column} from ${table} order by 1`)
      .raw()
      .all()
    const owners = await all(`${types}?fields=id&populate[${relation}][fields]=id`)
    expect(owners.map((entry) => [entry.id, (entry[relation] as Entry | null)?.id ?? null])).toEqual(pairs)
    const keys = idsBySql(`select ${keyOf(target)} from ${target} order by 1`)
    const expected = keys.map((key) => [
      key,
      idsBySql(`select ${keyOf(table)} from ${table} where ${column} = ${String(key)} order by 1`),
    ])
    const entries = await all(`${targets}?fields=id&populate[${inverse}][fields]=id`)
    expect(entries.map((entry) => [entry.id, (entry[inverse] as Entry[]).map(({ id }) => id)])).toEqual(
      expected,
    )
  })

  it('the join table PlaylistTrack is a relation from both sides', async () => {
    for (const [types, relation, own, other] of [
      ['playlists', 'tracks', 'PlaylistId', 'TrackId'],
      ['tracks', 'playlists', 'TrackId', 'PlaylistId'],
    ] as const) {
      const entries = await all(`${types}?fields=id&populate[${relation}][fields]=id`)
      const pairs = entries.flatMap((entry) => (entry[relation] as Entry[]).map(({ id }) => [entry.id, id]))
      const sql = `select ${own}, ${other} from PlaylistTrack order by 1, 2`
      expect(pairs).toEqual(reference.prepare(sql).raw().all())
    }
  })

  it.each(filters)('%s of %s: %s', async (types, table, query, condition) => {
    const expected = idsBySql(`select ${keyOf(table)} from ${table} where ${condition} order by 1`)
    expect(expected.length).toBeGreaterThan(0)
    expect((await all(`${types}?fields=id&${query}`)).map(({ id }) => id)).toEqual(expected)
  })

  it.each(sorts)('%s are sorted by %s', async (types, sort, sql) => {
    expect((await all(`${types}?fields=id&sort=${sort}`)).map(({ id }) => id)).toEqual(idsBySql(sql))
  })

  it('shows every column of a row', async () => {
    const { data } = await get('invoices?filters[id]=412')
    expect(data).toEqual([
      {
        ...{ id: 412, documentId: '412', invoiceDate: '2025-12-22T00:00:00.000Z' },
        ...{ billingAddress: '12,Community Centre', billingCity: 'Delhi', billingState: null },
        ...{ billingCountry: 'India', billingPostalCode: '110017', total: 1.99 },
      },
    ])
  })

  if (database.name !== 'sqlite') return

  it('definitions that are written by hand give the same responses', async () => {
    const byHand = await serve(chinookByHand)
    for (const path of [
      'tracks?populate[album][populate]=artist&populate[genre]=true&populate[playlists]=true&pagination[page]=3',
      'artists?populate[albums][populate]=tracks&sort=name:desc',
      'playlists?filters[tracks][album][artist][name]=Queen&populate=tracks',
      'albums?filters[tracks][genre][name]=Jazz&sort=artist.name',
    ])
      expect(await get(path, byHand)).toEqual(await get(path))
  })
})
