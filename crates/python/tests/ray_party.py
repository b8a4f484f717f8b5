"""One party of a run on Ray, in a process of its own: `ray_party.py ROLE OPTIONS`, both told by test_ray.py.

What happens goes to standard output, a JSON object a line; the last one is the result, with `exit_code`.
"""

import json
import os
import pathlib
import signal
import sys

import ray
import volery
import volery.ray
from volery.ray.__main__ import CODES


def say(told):
    print(json.dumps(told), flush=True)


def start(nodes):
    """A Ray cluster of this process: one node, or a head without cores and others with as many as given."""
    quiet = {"include_dashboard": False, "log_to_driver": False}
    if nodes is None:
        # Not one that somebody has left behind.
        ray.init(address="local", num_cpus=2, **quiet)
        return None, {}
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    added = [cluster.add_node(num_cpus=cores) for cores in nodes]
    ray.init(address=cluster.address, log_to_driver=False)
    return cluster, {node.node_id: node for node in added}


def processes_below(pid):
    """This process and all that it has started, and those have."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:  # It has ended meanwhile.
            continue
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return below


def main(role, options):
    cluster, nodes = start(options.pop("nodes", None))
    to_kill = options.pop("kill_node_at", None)
    relation, public = options.pop("relation"), {"root": bytes.fromhex(options.pop("root"))}

    def watch(news, state):
        nonlocal to_kill
        say(news)
        if to_kill == news["event"] and news.get("gates", 1):
            to_kill = None
            name = state.shards[news["shard"]]["node"]
            there = [i for i, shard in enumerate(state.shards) if shard.get("node") == name]
            say({"event": "killing", "shards": there})
            for pid in processes_below(nodes[name].all_processes["raylet"][0].process.pid):
                os.kill(pid, signal.SIGKILL)

    def listening(address):
        say({"event": "listening", "address": address})

    values = [public]
    if role == "prove":
        values.append({"leaves": bytes(i * 7 % 251 for i in range(64 << options.pop("depth")))})
    act = getattr(volery.ray, role)
    try:
        report = act(relation, *values, quiet=True, watch=watch, listening=listening, **options)
        say({**report, "exit_code": 0})
    except Exception as why:
        code = next(code for kind, code in CODES if isinstance(why, kind))
        say({"verdict": None, "error": str(why), "kind": type(why).__name__, "exit_code": code})
    finally:
        ray.shutdown()
        if cluster is not None:
            cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
