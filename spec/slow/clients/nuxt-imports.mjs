// What Nuxt gives the composables of a module as `#imports`, in an app that has no cookies yet.
import { ref } from 'vue'
export { useStrapiClient } from './node_modules/@nuxtjs/strapi/dist/runtime/composables/useStrapiClient.js'

const strapi = {
  url: globalThis.nuxtStrapiUrl,
  prefix: '/api',
  version: 'v5',
  cookieName: 'strapi_jwt',
  cookie: {},
}
const app = { hooks: { callHook: () => undefined } }

export const useNuxtApp = () => app
export const useRuntimeConfig = () => ({ public: { strapi } })
export const useCookie = () => ref(null)
