/**
 * The public entry `bellwether/cron`: jobs that run once for each tick of a cron expression, on the leader only.
 * The application installs `croner` for `schedule`; `scheduleOnLeader` takes a scheduler of the application's choice.
 */
export { jobRecord, type JobRecord, type JobSqlPool } from './job-record.ts'
export { schedule, type Leads, type ScheduleOptions } from './schedule.ts'
export { scheduleOnLeader, type Scheduler } from './schedule-on-leader.ts'
