#!/bin/sh
# Runs on one machine of three: bellwether run --id a --members … -- examples/backup.sh
# The script gets SIGTERM when the term ends. run ends with 0 if the script did, else with 1.
trap 'echo "stopping"; exit 0' TERM
echo "$BELLWETHER_ID backs up, fence $BELLWETHER_FENCE"
while :; do
  sleep 0.1
done
