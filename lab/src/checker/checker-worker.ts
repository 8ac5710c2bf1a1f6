/** The worker that runs the checker for the page. */
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { serve } from '../simulation/worker-client.ts'
import { checkerAnswers } from './checker-answers.ts'

serve(checkerAnswers({ algorithms, detectors }))
