#!/usr/bin/env python3
"""Kills batches that share the work on one folder, and compares what the others finish.

Each round starts two to four batches with `--join` on 40 small files, and kills some of them or some of their workers
with SIGKILL at random moments; sometimes all workers at once. The batches that live must end with status 0 and the
tree of an undisturbed batch: no file lost, none converted by two of them, no temporary file, no claims. A file may
fail whose worker was killed twice. If all batches are killed, or a file failed so, one more batch finishes.

Prints the seed of each round that fails, and ends with status 1. `--seed` and `--first` repeat a round.
"""

import json
import os
import random
import shutil
import signal
import sys
import threading
import time

import storm
from storm import Fault


class Joined(storm.Storm):
    """Rounds of batches that share the work."""

    kinds_of_settings = ["audio"]

    def kill(self, chance, processes, victims):
        """Kills batches or workers at a few moments; returns a description of each."""
        history = []
        for _ in range(chance.choice([0, 1, 2, 3, 6])):
            time.sleep(chance.uniform(0, self.settings["audio"].seconds * 0.5))
            kind = chance.choice(["supervisor", "worker", "worker", "all workers"])
            self.kinds[kind] += 1
            number = chance.randrange(len(processes))
            if kind == "supervisor":
                processes[number].kill()
                victims.add(number)
                history.append(f"batch {number}")
                continue
            workers = [self.workers(process) for process in processes]
            for worker in sum(workers, []) if kind == "all workers" else workers[number][:1]:
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            history.append(f"{kind} of batch {number}" if kind == "worker" else kind)
        return history

    def round(self, number):
        chance = random.Random(f"{self.options.seed} {number}")
        setting, place = self.settings["audio"], self.place / f"round {number}"
        place.mkdir()
        victims, history, results = set(), [], {}
        try:
            processes, readers = [], []
            for index in range(chance.randint(2, 4)):
                process = self.start(setting.command(place) + ["--join", "--jobs", str(chance.choice([1, 2]))])

                def read(index=index, process=process):
                    try:
                        results[index] = self.wait(process)
                    except Fault as fault:
                        results[index] = fault

                processes.append(process)
                readers.append(threading.Thread(target=read))
                readers[-1].start()
                time.sleep(chance.uniform(0, setting.seconds * 0.3))
            history = self.kill(chance, processes, victims)
            for reader in readers:
                reader.join()
            is_complete = self.check(results, victims)
            if is_complete:
                self.compare_files(setting, place)
            # The last one may have been killed when all files were finished.
            if victims or not is_complete:
                status, output = self.wait(self.start(setting.command(place)))
                if status != 0:
                    raise Fault(f"the last batch ended with status {status}: {output[-3000:]}")
            self.compare(setting, place)
            self.check_ledger(setting, place)
        except Fault as fault:
            kept = f"; kept in {place}" if self.options.keep else ""
            print(f"round {number} (--seed {self.options.seed} --first {number}): {fault}{kept}")
            print(f"  {len(processes)} batches, killed: {', '.join(history)}", flush=True)
            if not self.options.keep:
                shutil.rmtree(place)
            return False
        shutil.rmtree(place)
        return True

    @staticmethod
    def check(results, victims):
        """Checks the ends of the batches, and that none converted what another had converted.

        Returns true if no file is left.
        """
        converted, is_complete = {}, len(victims) < len(results)
        for index, result in sorted(results.items()):
            if isinstance(result, Fault):
                raise result
            status, output = result
            # A killed batch may have written a part of its last line.
            events = [json.loads(line) for line in output.splitlines() if line.startswith("{") and line.endswith("}")]
            finished = [event for event in events if event["event"] == "finished"]
            failed = [event for event in finished if event["status"] == "failed"]
            is_complete = is_complete and not failed
            if index not in victims and status != (1 if failed else 0):
                raise Fault(f"batch {index} ended with status {status}: {output[-3000:]}")
            for event in failed:
                if "the second ran alone" not in event["error"]:
                    raise Fault(f"{event}")
            for event in finished:
                if event["status"] == "converted":
                    converted.setdefault(event["input"], []).append(index)
        twice = {name: batches for name, batches in converted.items() if len(batches) > 1}
        if twice:
            raise Fault(f"converted by several batches: {twice}")
        return is_complete


if __name__ == "__main__":
    sys.exit(Joined(storm.arguments(__doc__)).run())
