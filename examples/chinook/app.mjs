import express from 'express'
import { contentRouter } from 'express-content-router'
import config from './content-router.config.mjs'

const content = contentRouter(config)
await content.ready()
const app = express().use('/api', content)
app.listen(process.env.PORT ?? 3000)
