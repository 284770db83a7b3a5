import express from 'express'
import Database from 'better-sqlite3'
import { aggregates } from '../../../extensions/aggregate'
import { contentRouter } from '../../../lib'
import { type Asker, askerOf } from '../../support/asker'
import { chinookByHand } from '../../support/chinook/by-hand'
import { loadChinook, statementsFor } from '../../support/chinook/load'
import { eachDatabase, onSqlite, type World } from '../../support/databases'
import { createShop, shopTypes, uuids } from '../../support/shop-tables'

// Tables of other programs: keys of all types, views, and dates that only MySQL stores.

interface Row {
  readonly group: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

async function serve(world: World, contentTypes: readonly object[]): Promise<Asker> {
  const router = world.closing(
    contentRouter({
      ...{ contentTypes: contentTypes as never, database: world.config, logger: false },
      permissions: { public: { find: '*', aggregate: '*' } },
      extensions: [aggregates()],
    }),
  )
  await router.ready()
  return world.closing(await askerOf(express().use(router)))
}

async function rowsOf({ ask }: Asker, path: string): Promise<readonly Row[]> {
  const { status, body } = await ask(`/${path}&pagination[pageSize]=100`)
  if (status !== 200) throw new Error(`${String(status)} ${body}`)
  return (JSON.parse(body) as { readonly data: readonly Row[] }).data
}

const groupsOf = async (asker: Asker, path: string): Promise<unknown[][]> =>
  (await rowsOf(asker, `${path}&aggregate[count]=true`)).map(({ group, count }) => [
    ...Object.values(group),
    count,
  ])

onSqlite((database) => {
  describe('aggregates over Chinook', () => {
    const reference = new Database(':memory:')
    const world = database.fresh()
    let asker: Asker

    beforeAll(async () => {
      for (const statement of statementsFor('sqlite')) reference.exec(statement)
      await loadChinook(world.knex, 'sqlite')
      asker = await serve(world, chinookByHand)
    }, 60_000)
    afterAll(() => {
      reference.close()
    })

    it.each([
      [
        'tracks/aggregate?groupBy=genre.name',
        'select g.Name, count(*) from Track left join Genre g using (GenreId) group by 1 order by 1',
      ],
      [
        'tracks/aggregate?groupBy=album.artist.name&sort=count:desc',
        'select r.Name, count(*) from Track join Album using (AlbumId) join Artist r using (ArtistId) group by 1 order by 2 desc, 1 limit 100',
      ],
      [
        'tracks/aggregate?groupBy=playlists.name',
        `select p.Name, count(distinct t.TrackId) from Track t left join PlaylistTrack using (TrackId)
         left join Playlist p using (PlaylistId) group by 1 order by 1`,
      ],
      [
        'artists/aggregate?groupBy=albums.tracks.genre.name',
        `select g.Name, count(distinct r.ArtistId) from Artist r left join Album using (ArtistId)
         left join Track using (AlbumId) left join Genre g using (GenreId) group by 1 order by 1`,
      ],
      [
        'tracks/aggregate?groupBy=unitPrice&filters[genre][name]=Drama',
        `select UnitPrice, count(*) from Track where GenreId = (select GenreId from Genre where Name = 'Drama') group by 1 order by 1`,
      ],
    ])('%s', async (path, sql) => {
      expect(await groupsOf(asker, path)).toEqual(reference.prepare(sql).raw().all())
    })

    it('sums and averages are those of SQL', async () => {
      const functions =
        'aggregate[sum]=milliseconds,unitPrice&aggregate[avg]=bytes&aggregate[countDistinct]=composer'
      const [row] = await rowsOf(asker, `tracks/aggregate?${functions}`)
      const sql = `select sum(Milliseconds), round(sum(UnitPrice), 2), avg(Bytes), count(distinct Composer) from Track`
      const [milliseconds, unitPrice, bytes, composer] = reference.prepare(sql).raw().get() as number[]
      expect(row).toEqual({
        group: {},
        sum: { milliseconds, unitPrice },
        avg: { bytes: Number(bytes?.toPrecision(15)) },
        countDistinct: { composer },
      })
    })
  })
})

const spending = {
  kind: 'collectionType',
  collectionName: 'spending',
  info: { singularName: 'spending', pluralName: 'spendings' },
  table: { id: { name: 'customer_no', type: 'biginteger' } },
  attributes: {
    total: { type: 'decimal' },
    latest: { type: 'datetime' },
    customer: {
      ...{ type: 'relation', relation: 'manyToOne', target: 'customer' },
      joinColumn: { name: 'customer_no' },
    },
  },
}

eachDatabase((database) => {
  describe('tables with keys of several types, and a view', () => {
    const world = database.fresh()
    let asker: Asker

    beforeAll(async () => {
      await createShop(world.knex)
      await world.knex.raw(`create view spending as
        select purchase.customer_no, sum(unit_price) as total, max(last_update) as latest from purchase
        join purchase_product on purchase_product.purchase_id = purchase.purchase_id
        join product on product.product_id = purchase_product.product_id group by purchase.customer_no`)
      asker = await serve(world, [...shopTypes, spending])
    }, 60_000)

    it('group by texts, uuids and 64-bit integers as keys', async () => {
      expect(await groupsOf(asker, 'customers/aggregate?groupBy=country')).toEqual([
        [null, 1],
        ['de', 1],
        ['fr', 1],
      ])
      expect(await groupsOf(asker, 'purchases/aggregate?groupBy=products')).toEqual([
        [null, 1],
        [uuids.lamp, 2],
        [uuids.desk, 1],
        [uuids.mug, 1],
      ])
      expect(await groupsOf(asker, 'purchases/aggregate?groupBy=payer,payer.country.name')).toEqual([
        [null, null, 1],
        ['10', 'France', 2],
      ])
      expect(await groupsOf(asker, 'customers/aggregate?groupBy=id')).toEqual([
        ['9', 1],
        ['10', 1],
        ['11', 1],
      ])
    })

    it('follow a relation of a type to itself, in both directions', async () => {
      expect(await groupsOf(asker, 'customers/aggregate?groupBy=referrer.fullName')).toEqual([
        [null, 1],
        ['Ada', 2],
      ])
      expect(
        await groupsOf(asker, 'customers/aggregate?groupBy=referred.fullName,referred.referrer'),
      ).toEqual([
        [null, null, 2],
        ['Bo', '9', 1],
        ['Cy', '9', 1],
      ])
    })

    it('take values of linked tables, and take conditions on keys', async () => {
      const functions = 'aggregate[countDistinct]=customer.id&aggregate[max]=customer.id'
      expect(await rowsOf(asker, `purchases/aggregate?groupBy=payer.id&${functions}`)).toEqual([
        { group: { 'payer.id': null }, countDistinct: { 'customer.id': 0 }, max: { 'customer.id': null } },
        { group: { 'payer.id': '10' }, countDistinct: { 'customer.id': 2 }, max: { 'customer.id': '10' } },
      ])
      expect(
        await groupsOf(asker, `purchases/aggregate?groupBy=products&having[products][$eq]=${uuids.lamp}`),
      ).toEqual([[uuids.lamp, 2]])
    })

    it('read a view', async () => {
      const query = 'groupBy=customer.fullName&aggregate[sum]=total&aggregate[max]=latest'
      expect(await rowsOf(asker, `spendings/aggregate?${query}`)).toEqual([
        {
          group: { 'customer.fullName': 'Ada' },
          sum: { total: 12.5 },
          max: { latest: '2024-02-29T10:00:00.000Z' },
        },
        {
          group: { 'customer.fullName': 'Bo' },
          sum: { total: 262.5 },
          max: { latest: '2024-03-01T00:30:00.000Z' },
        },
      ])
      expect(await groupsOf(asker, 'spendings/aggregate?groupBy=latest:month')).toEqual([
        ['2024-02-01', 1],
        ['2024-03-01', 1],
      ])
    })
  })

  if (database.dialect === 'sqlite')
    describe('instants that other programs stored in SQLite', () => {
      const world = database.fresh()

      it('have the month of UTC, as texts and as milliseconds', async () => {
        await world.knex.raw('create table visit (id integer primary key, moment datetime)')
        const texts = ['2024-01-31T23:30:00-05:00', '2024-02-29 23:59:59.5', 'soon']
        const moments = [...texts, Date.UTC(2024, 1, 29, 23), 0]
        await world.knex('visit').insert(moments.map((moment) => ({ moment })))
        const info = { singularName: 'visit', pluralName: 'visits' }
        const attributes = { moment: { type: 'datetime' } }
        const visit = { kind: 'collectionType', collectionName: 'visit', info, table: {}, attributes }
        const asker = await serve(world, [visit])
        expect(await groupsOf(asker, 'visits/aggregate?groupBy=moment:month')).toEqual([
          [null, 1],
          ['1970-01-01', 1],
          ['2024-02-01', 3],
        ])
      })
    })

  if (database.dialect === 'mysql')
    describe('zero dates of MySQL', () => {
      const world = database.fresh()
      let asker: Asker

      beforeAll(async () => {
        await world.knex.transaction(async (session) => {
          await session.raw(`set session sql_mode = ''`)
          await session.raw(
            'create table visit (id int primary key, day date, moment datetime, stamp timestamp null)',
          )
          await session.raw(`insert into visit values (1, '0000-00-00', '0000-00-00', '0000-00-00'), (2, null, null, null),
            (3, '2024-00-00', '2024-00-00', '0000-00-00'), (4, '2024-02-29', '2024-02-29 10:00', '2024-02-29 10:00')`)
        })
        const attributes = {
          ...{ day: { type: 'date' }, moment: { type: 'datetime' }, stamp: { type: 'timestamp' } },
        }
        const info = { singularName: 'visit', pluralName: 'visits' }
        asker = await serve(world, [
          { kind: 'collectionType', collectionName: 'visit', info, table: { id: 'id' }, attributes },
        ])
      }, 60_000)

      it('are null, as in entries', async () => {
        for (const name of ['day', 'day:year', 'day:week', 'moment:quarter', 'moment:day', 'stamp:month'])
          expect(
            (await groupsOf(asker, `visits/aggregate?groupBy=${name}`)).map(([, count]) => count),
          ).toEqual([3, 1])
        expect(
          await rowsOf(asker, 'visits/aggregate?aggregate[min]=day,moment&aggregate[countDistinct]=day'),
        ).toEqual([
          {
            group: {},
            min: { day: '2024-02-29', moment: '2024-02-29T10:00:00.000Z' },
            countDistinct: { day: 1 },
          },
        ])
      })
    })
})
