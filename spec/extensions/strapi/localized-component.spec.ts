import { strapi5 } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, component, integer, repeated, single, text } from '../../support/library'
import { stocked } from '../../support/served'

// The content-type builder of some versions wrote it into components as well. Strapi gives a locale to content types alone.
const localized = { pluginOptions: { i18n: { localized: true } } }

const types = [
  collection(
    'album',
    { title: text, cover: single('media.cover'), tracks: repeated('media.track') },
    { localized: true },
  ),
  { ...component('media.cover', { caption: text, credit: single('media.track') }), ...localized },
  { ...component('media.track', { name: text, minutes: integer }), ...localized },
] as unknown as Parameters<typeof stocked>[1]

onSqlite((database) => {
  const { serve } = stocked(database, types, {
    album: [
      {
        title: 'Dawn',
        cover: { caption: 'Sunrise', credit: { name: 'Ann', minutes: 1 } },
        tracks: [
          { name: 'One', minutes: 3 },
          { name: 'Two', minutes: 5 },
        ],
      },
    ],
  })

  it.each([['as specified', {}] as const, ['as Strapi does', { extensions: [strapi5()] }] as const])(
    'shows, filters and sorts by components that call themselves localized, %s',
    async (_, preset) => {
      const served = serve({ ...preset })
      const [all] = await served.list('albums?populate[cover][populate]=*&populate[tracks]=true')
      const [one, two] = all?.['tracks'] as Record<string, unknown>[]
      const cover = all?.['cover'] as Record<string, unknown>
      expect(cover).toMatchObject({ caption: 'Sunrise', credit: { name: 'Ann' } })
      expect([one?.['name'], two?.['name']]).toEqual(['One', 'Two'])
      for (const part of [cover, one]) expect(part).not.toHaveProperty('locale')
      const asked =
        'albums?filters[tracks][minutes][$gt]=4&filters[cover][caption]=Sunrise&sort=cover.caption'
      expect(await served.values(asked, 'title')).toEqual(['Dawn'])
    },
  )
})
