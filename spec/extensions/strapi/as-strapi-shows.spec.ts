import { strapi5 } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, component, pictures, relation, repeated, text } from '../../support/library'
import { stocked } from '../../support/served'

const user = 'plugin::users-permissions.user'
const role = 'plugin::users-permissions.role'

const types = [
  component('lot.part', { label: text, maker: relation('manyToOne', 'maker') }),
  collection('team', { name: text, role: relation('manyToOne', role), lead: relation('manyToOne', user) }),
  collection('maker', {
    name: text,
    boss: relation('manyToOne', 'maker'),
    pin: relation('morphOne', 'note', { morphBy: 'subject' }),
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
  }),
  collection('note', {
    words: text,
    subject: { type: 'relation', relation: 'morphToOne' },
    author: relation('manyToOne', 'maker'),
    scans: pictures,
    parts: repeated('lot.part'),
  }),
  collection(
    'page',
    { title: text, notes: relation('morphMany', 'note', { morphBy: 'subject' }) },
    { drafts: true },
  ),
  collection('sheet', { title: text }, { drafts: true, localized: true }),
  collection('poster', {
    title: text,
    first: relation('manyToOne', 'note'),
    links: relation('oneToMany', 'note'),
  }),
] as unknown as Parameters<typeof stocked>[1]

describe('the users of a role', () => {
  onSqlite((database) => {
    const { serve } = stocked(database, types, {
      [role]: [{ $ref: 'editors', name: 'Editors', type: 'editor' }],
      [user]: [
        { $ref: 'ada', username: 'ada', role: 'editors' },
        { username: 'bo', role: 'editors' },
      ],
      team: [{ name: 'Desk', role: 'editors', lead: 'ada' }],
    })
    const all = { permissions: { public: { find: '*' } } } as const

    it.each([
      'populate[role][populate]=users',
      'populate[role][populate]=*',
      'populate[role][populate][users][count]=true',
      'populate[role][populate][users][fields]=username',
      'populate=role.users',
    ])('are never shown with strapi5: %s', async (query) => {
      const [team] = await serve({ extensions: [strapi5()], ...all }).list(`teams?${query}`)
      expect(team).toMatchObject({ role: { name: 'Editors' } })
      expect(team?.['role']).not.toHaveProperty('users')
    })

    it('are not shown behind their own users, either', async () => {
      const query = 'populate[lead][populate][role][populate]=users'
      const [team] = await serve({ extensions: [strapi5()], ...all }).list(`teams?${query}`)
      expect(team).toMatchObject({ lead: { username: 'ada', role: { name: 'Editors' } } })
      expect(JSON.stringify(team)).not.toContain('bo')
    })

    it('are filtered by all the same, as in Strapi', async () => {
      const query = 'teams?filters[role][users][username]=bo'
      expect(await serve({ extensions: [strapi5()], ...all }).values(query, 'name')).toEqual(['Desk'])
    })

    it('are shown without the preset to roles that may find users', async () => {
      const [team] = await serve().list('teams?populate[role][populate][users][sort]=username')
      expect(team).toMatchObject({ role: { users: [{ username: 'ada' }, { username: 'bo' }] } })
    })
  })
})

describe('the empty locale behind the other side of a relation to any type', () => {
  onSqlite((database) => {
    const { serve } = stocked(database, types, {
      maker: [
        { $ref: 'cy', name: 'Cy' },
        { $ref: 'di', name: 'Di', boss: 'cy' },
      ],
      note: [
        {
          words: 'Mine',
          subject: { maker: 'cy' },
          author: 'di',
          scans: [{ name: 'scan' }],
          parts: [{ label: 'Leg', maker: 'di' }],
        },
      ],
    })
    const below =
      '[populate][author][populate]=boss&populate[PIN][populate][scans]=true&populate[PIN][populate][parts][populate]=maker'

    it.each(['pin', 'notes'])('is shown at every level below %s', async (name) => {
      const query = `makers?filters[name]=Cy&populate[${name}]${below.replaceAll('PIN', name)}`
      const [maker] = await serve({ extensions: [strapi5()] }).list(query)
      const note = [maker?.[name]].flat()[0]
      expect(maker).not.toHaveProperty('locale')
      expect(note).toMatchObject({
        locale: null,
        author: { name: 'Di', locale: null, boss: { name: 'Cy', locale: null } },
        scans: [{ name: 'scan', locale: null }],
        parts: [{ label: 'Leg', maker: { name: 'Di', locale: null } }],
      })
      const { parts } = note as { parts: readonly object[] }
      expect(parts[0]).not.toHaveProperty('locale')
    })

    it('is shown where all fields are, and not where they are chosen', async () => {
      const query = 'makers?filters[name]=Cy&populate[pin][populate][author][fields]=name'
      const [maker] = await serve({ extensions: [strapi5()] }).list(query)
      expect(maker).toMatchObject({ pin: { locale: null, author: { name: 'Di' } } })
      expect((maker?.['pin'] as { author: object }).author).not.toHaveProperty('locale')
    })

    it('is nowhere without the preset, nor above such a relation', async () => {
      const [plain] = await serve().list('makers?filters[name]=Cy&populate[pin][populate]=author')
      expect(JSON.stringify(plain)).not.toContain('locale')
      const [note] = await serve({ extensions: [strapi5()] }).list('notes?populate=author')
      expect(JSON.stringify(note)).not.toContain('locale')
    })
  })
})

describe('a morphToOne whose key names a draft', () => {
  onSqlite((database) => {
    const { world, serve } = stocked(database, types, {
      $locales: ['en', 'de'],
      page: [
        { $ref: 'both', title: 'Published', $draft: { title: 'Draft' } },
        { $ref: 'draft', title: 'Only a draft', $status: 'draft' },
      ],
      sheet: [{ $ref: 'sheet', title: 'Sheet', $locales: { de: { title: 'Blatt' } } }],
      note: [
        { $ref: 'a', words: 'a', subject: { page: 'both' } },
        { $ref: 'b', words: 'b', subject: { page: 'draft' } },
        { words: 'c', subject: { sheet: 'sheet' } },
        { words: 'd' },
      ],
      poster: [{ title: 'Poster', first: 'a', links: ['a', 'b'] }],
    })

    const draftOf = async (table: string, title: string): Promise<number> => {
      const rows: readonly { readonly id: number }[] = await world
        .knex(table)
        .where({ title })
        .whereNull('published_at')
        .select('id')
      const [row] = rows
      if (row === undefined) throw new Error(`no draft ${title}`)
      return row.id
    }

    beforeAll(async () => {
      const { knex } = world
      await knex('notes')
        .where({ words: 'a' })
        .update({ target_id: await draftOf('pages', 'Draft') })
      await knex('notes')
        .where({ words: 'b' })
        .update({ target_id: await draftOf('pages', 'Only a draft') })
      await knex('notes')
        .where({ words: 'c' })
        .update({ target_id: await draftOf('sheets', 'Blatt') })
    })

    const subjects = (query: string, options: object = { extensions: [strapi5()] }): Promise<unknown[]> =>
      serve(options).values(`notes?sort=words&${query}`, 'subject')

    it.each([
      'populate=subject',
      'populate=*',
      'populate[subject][on][api::page.page]=true&populate[subject][on][api::sheet.sheet]=true',
    ])('shows the published version in published responses: %s', async (query) => {
      expect(await subjects(query)).toMatchObject([
        { title: 'Published' },
        null,
        { title: 'Blatt', locale: 'de' },
        null,
      ])
    })

    it('leads to null, as in Strapi, where a fragment says what it asks', async () => {
      const query =
        'populate[subject][on][api::page.page][fields]=title&populate[subject][on][api::sheet.sheet]=true'
      expect(await subjects(query)).toEqual([null, null, null, null])
    })

    it('shows it inside populate as well', async () => {
      const query = 'posters?populate[first][populate]=subject&populate[links][populate]=subject'
      expect(await serve({ extensions: [strapi5()] }).list(query)).toMatchObject([
        {
          first: { subject: { title: 'Published' } },
          links: [{ subject: { title: 'Published' } }, { subject: null }],
        },
      ])
    })

    it('counts it', async () => {
      expect(await subjects('populate[subject][count]=true')).toEqual(
        [1, 0, 1, 0].map((count) => ({ count })),
      )
    })

    it('is found by what it shows', async () => {
      const words = (filter: string): Promise<unknown[]> =>
        serve({ extensions: [strapi5()] }).values(`notes?sort=words&filters[subject]${filter}`, 'words')
      expect(await words('[$some][on][api::page.page][title]=Published')).toEqual(['a'])
      expect(await words('[$some][__type]=api::sheet.sheet')).toEqual(['c'])
      expect(await words('[$count]=1')).toEqual(['a', 'c'])
    })

    it('shows the draft in responses with drafts', async () => {
      expect(await subjects('populate=subject&status=draft')).toMatchObject([
        { title: 'Draft' },
        { title: 'Only a draft' },
        { title: 'Blatt' },
        null,
      ])
    })

    it('leads nowhere without the preset', async () => {
      expect(await subjects('populate=subject', {})).toEqual([null, null, null, null])
    })
  })
})
