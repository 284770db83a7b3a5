import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { type FileUrlFunction, fileUrls, type ShownFile } from '../../../extensions/files'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, component, picture, pictures, relation, repeated, text } from '../../support/library'
import { projectFolder } from '../../support/project-folder'
import { stocked } from '../../support/served'
import { olderFormat } from '../../support/as-strapi'

const types = [
  component('shared.slide', { caption: text, image: picture }),
  collection('album', {
    title: text,
    cover: picture,
    photos: pictures,
    slides: repeated('shared.slide'),
    zone: { type: 'dynamiczone', components: ['shared.slide'] },
    next: relation('oneToOne', 'album'),
  }),
] as unknown as ContentRouterConfig['contentTypes']

const bucket = 'https://our-files.s3.eu-central-1.amazonaws.com'
const formatsOf = (name: string) => ({
  thumbnail: { name: 'thumb', width: 20, url: `${bucket}/thumb_${name}` },
  small: { name: 'small', width: 200, url: `${bucket}/small_${name}` },
})

interface Picture {
  readonly id: number
  readonly url: string
  readonly formats: Readonly<Record<string, { readonly url: string; readonly width: number }>> | null
}
interface Album {
  readonly cover: Picture | null
  readonly photos: readonly Picture[]
  readonly slides: readonly { readonly image: Picture }[]
  readonly zone: readonly { readonly image: Picture }[]
}

const signed = ({ url, format }: ShownFile): string => `${url}?for=${format ?? 'itself'}`

onSqlite((database) => {
  const { serve, world } = stocked(database, types, {
    file: [
      { $ref: 'sun', name: 'sun', url: `${bucket}/sun.png`, formats: formatsOf('sun.png') },
      { $ref: 'moon', name: 'moon', url: `${bucket}/moon.png` },
      { $ref: 'local', name: 'local', url: '/uploads/a b.png' },
    ],
    album: [
      {
        $ref: 'a',
        title: 'A',
        cover: 'sun',
        photos: ['moon', 'sun', 'local'],
        slides: [{ caption: 'one', image: 'moon' }],
        zone: [{ __component: 'shared.slide', caption: 'two', image: 'sun' }],
      },
      { title: 'B', cover: 'sun', next: 'a' },
      { title: 'C' },
    ],
  })
  const everything =
    'albums?sort=title&populate[cover]=true&populate[photos]=true&populate[slides][populate]=image&populate[zone][on][shared.slide][populate]=image&populate[next][populate]=cover'
  const asked = (fileUrl: FileUrlFunction, options: Partial<ContentRouterConfig> = {}) =>
    serve({ ...options, extensions: [fileUrls(fileUrl), ...(options.extensions ?? [])] })

  describe('fileUrls', () => {
    it('replaces the URL of each file and of each format', async () => {
      const [first, second, third] = (await asked(async (file) => Promise.resolve(signed(file))).list(
        everything,
      )) as unknown as [Album, Album, Album]
      const sun = {
        url: `${bucket}/sun.png?for=itself`,
        formats: {
          thumbnail: { name: 'thumb', width: 20, url: `${bucket}/thumb_sun.png?for=thumbnail` },
          small: { name: 'small', width: 200, url: `${bucket}/small_sun.png?for=small` },
        },
      }
      const moon = { url: `${bucket}/moon.png?for=itself`, formats: null }
      expect(first).toMatchObject({
        cover: sun,
        photos: [moon, sun, { url: '/uploads/a b.png?for=itself' }],
        slides: [{ image: moon }],
        zone: [{ image: sun }],
      })
      expect(second).toMatchObject({ cover: sun, next: { cover: sun } })
      expect(third.cover).toBeNull()
    })

    it('changes nothing else', async () => {
      const same = asked(({ url }) => url)
      expect(await same.page(everything)).toEqual(await serve().page(everything))
      expect(await same.page(`${everything}&fields=title`)).toEqual(
        await serve().page(`${everything}&fields=title`),
      )
    })

    it('is called once per file and format, for all of them at once', async () => {
      const files: ShownFile[] = []
      let open: () => void = () => undefined
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      const served = asked(async (file) => {
        files.push(file)
        if (files.length === 5) open()
        await gate
        return file.url
      })
      await served.page(everything)
      expect(files.map(({ format, url }) => `${format ?? ''} ${url.replace(bucket, '')}`).sort()).toEqual([
        ' /moon.png',
        ' /sun.png',
        ' /uploads/a b.png',
        'small /small_sun.png',
        'thumbnail /thumb_sun.png',
      ])
      expect(files.every(({ id }) => Number.isInteger(id))).toBe(true)
    })

    it('is not called if no URL is requested', async () => {
      const served = asked(() => {
        throw new Error('asked')
      })
      await served.page('albums?populate[next]=true')
      await served.page('albums?populate[cover][fields]=name&populate[photos][count]=true')
    })

    it('applies to selected fields and to the older format', async () => {
      const served = asked(signed)
      const few = await served.list(
        'albums?sort=title&populate[cover][fields][0]=formats&pagination[pageSize]=1',
      )
      expect(few).toMatchObject([
        { cover: { formats: { small: { url: `${bucket}/small_sun.png?for=small` } } } },
      ])
      expect(few[0]?.['cover']).not.toHaveProperty('url')
      const one = await served.list('albums?sort=title&populate[cover][fields][0]=url&pagination[pageSize]=1')
      expect(one).toMatchObject([{ cover: { url: `${bucket}/sun.png?for=itself` } }])
      const older = await request(asked(signed, { extensions: [olderFormat] }).app)
        .get('/api/albums?sort=title&populate=cover')
        .set('Strapi-Response-Format', 'v4')
      const cover = { data: { attributes: { url: `${bucket}/sun.png?for=itself` } } }
      expect(older.body).toMatchObject({ data: [{ attributes: { cover } }, { attributes: { cover } }, {}] })
    })

    it('prevents caching of responses with files only', async () => {
      let count = 0
      const served = asked(({ url }) => `${url}?n=${String((count += 1))}`, {
        cache: {},
        headers: { '*': { cacheControl: 'max-age=600' } },
      })
      const path = 'albums?sort=title&populate[cover][fields][0]=url&pagination[pageSize]=1'
      const answers = [await served.get(path), await served.get(path)]
      expect(answers.map(({ body }) => (body as { data: [{ cover: Picture }] }).data[0].cover.url)).toEqual([
        `${bucket}/sun.png?n=1`,
        `${bucket}/sun.png?n=2`,
      ])
      for (const { headers } of answers) {
        expect(headers).toMatchObject({ 'cache-control': 'private, no-store' })
        expect(headers).not.toHaveProperty('etag')
      }
      const other = await served.get('albums?sort=title')
      expect(other.headers).toMatchObject({ 'cache-control': 'public, max-age=600' })
    })

    it.each<[string, (file: ShownFile) => unknown, string]>([
      [
        'throws',
        () => {
          throw new TypeError(`no key for ${bucket}`)
        },
        'TypeError',
      ],
      ['is rejected', () => Promise.reject(new TypeError(`no key for ${bucket}`)), 'TypeError'],
      ['answers nothing', () => undefined, 'fileUrls: the result of the function is undefined'],
      [
        'answers an object',
        () => Promise.resolve({ url: bucket }),
        'fileUrls: the result of the function is an object',
      ],
    ])(
      'answers 500 with an id if it %s, without URLs in response and log',
      async (_how, fileUrl, problem) => {
        const { errors, logger } = keeping()
        const answer = await asked(fileUrl as FileUrlFunction, { logger }).get(everything)
        expect(answer.status).toBe(500)
        expect(answer.text).not.toContain('amazonaws')
        expect(errors).toHaveLength(1)
        const { id } = (answer.body as { error: { details: { id: string } } }).error.details
        expect(errors[0]?.facts).toMatchObject({ id, problem: expect.stringContaining(problem) as string })
        expect(JSON.stringify(errors)).not.toContain('amazonaws')
      },
    )

    it('fails in the process as over HTTP', async () => {
      const fileUrl = (): never => {
        throw new Error('no key to sign with')
      }
      const api = world.closing(
        contentRouter({
          ...{ contentTypes: types, database: world.config, permissions: { public: { find: '*' } } },
          ...{ extensions: [fileUrls(fileUrl)], logger: false },
        }),
      )
      await expect(api.as('public').find('albums', { populate: ['cover'] })).rejects.toMatchObject({
        status: 500,
        details: { id: expect.any(String) as string },
      })
    })

    it('is rejected at start, with all other faults, if it is no function', () => {
      const extensions = [fileUrls('https://cdn.test' as unknown as FileUrlFunction)]
      expect(() => serve({ extensions, timeout: 0 })).toThrow(
        /timeout: the value must be above 0 milliseconds.*fileUrls: the argument of fileUrls\(\) must be a function \(write fileUrls\(\(file\) => url\)\)/s,
      )
    })

    it('is not waited for longer than the timeout', async () => {
      const never = asked(() => new Promise(() => undefined), { timeout: 100 })
      expect((await never.get(everything)).status).toBe(503)
    })
  })
})

describe('the recipe for S3 in docs/how-to/signed-file-urls.md', () => {
  const page = readFileSync(
    join(__dirname, '..', '..', '..', 'docs', 'how-to', 'signed-file-urls.md'),
    'utf8',
  )
  const [, code = ''] =
    /spec\/extensions\/files\/file-urls\.spec\.ts runs this code.*?```js\n(.*?)```/s.exec(page) ?? []
  const { path } = projectFolder({
    'node_modules/@aws-sdk/client-s3/index.js': `
exports.S3Client = class { constructor(given) { this.given = given } }
exports.GetObjectCommand = class { constructor(input) { this.input = input } }`,
    'node_modules/@aws-sdk/s3-request-presigner/index.js': `
exports.getSignedUrl = async ({ given }, { input }, { expiresIn }) =>
  [given.region, input.Bucket, input.Key, expiresIn].join(' ')`,
    'recipe.js': `${code.replace(/import (.*?) from (.*)/g, 'const $1 = require($2)')}\nexports.fileUrl = fileUrl`,
  })

  it('signs URLs of the bucket only', async () => {
    const { fileUrl } = (await import(join(path, 'recipe.js'))) as { readonly fileUrl: FileUrlFunction }
    const urlOf = async (url: string): Promise<string> => fileUrl({ id: 1, url, format: null })
    expect(await urlOf(`${bucket}/2026/a%20b.png`)).toBe('eu-central-1 our-files 2026/a b.png 900')
    expect(await urlOf('/uploads/a.png')).toBe('/uploads/a.png')
    expect(await urlOf('https://cdn.test/a.png')).toBe('https://cdn.test/a.png')
  })
})
