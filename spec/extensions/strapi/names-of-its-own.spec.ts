import { strapi5 } from '../../../extensions/strapi'
import { type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, integer, relation, single, text } from '../../support/library'
import { stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

// Strapi adds its own timestamps, creators, locale and localizations to each content type after reading it, whatever the
// type says of them, and nothing of the kind to components. Of a component it refuses id and documentId alone.
const types = [
  collection('song', {
    title: text,
    CreatedBy: text,
    createdAt: { type: 'string', private: true },
    updatedAt: { type: 'datetime' },
    publishedAt: integer,
    locale: integer,
    updatedBy: relation('oneToOne', 'api::song.song'),
    Localizations: integer,
    stamp: single('part.stamp'),
  }),
  component('part.stamp', { createdAt: text, publishedAt: text, locale: text, createdBy: text }),
] as unknown as Definitions

const stamp = { createdAt: 'long ago', publishedAt: 'later', locale: 'here', createdBy: 'me' }

onSqlite((database) => {
  const { serve } = stocked(database, types, {
    song: [{ title: 'Dawn', CreatedBy: 'Ann', Localizations: 3, stamp }],
  })
  const served = () => serve({ extensions: [strapi5()] })

  it('lets what every type has of itself win', async () => {
    const [song] = await served().list('songs?populate=*&filters[createdAt][$gt]=2000-01-01')
    expect(song).toMatchObject({ title: 'Dawn', CreatedBy: 'Ann', Localizations: 3 })
    for (const name of ['createdAt', 'updatedAt', 'publishedAt'])
      expect(song?.[name]).toMatch(/^\d{4}-\d{2}-\d{2}T/)
    for (const name of ['locale', 'updatedBy']) expect(song).not.toHaveProperty(name)
    expect((await served().refusal('songs?populate=updatedBy')).message).toBe('Invalid key updatedBy')
  })

  it('lets a name that only resembles it be filtered and sorted by', async () => {
    const path = 'songs?filters[CreatedBy][$contains]=nn&sort=CreatedBy,Localizations'
    expect(await served().values(path, 'title')).toEqual(['Dawn'])
  })

  it('gives components the names that only types have taken', async () => {
    const [song] = await served().list('songs?populate=stamp&filters[stamp][publishedAt]=later')
    expect(song?.['stamp']).toMatchObject(stamp)
  })
})
