/** The worker of the lab, which simulates. */
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { simulationAnswers } from './simulation-answers.ts'
import { serve } from './worker-client.ts'

serve(simulationAnswers({ algorithms, detectors }))
