package io.godwit.broker;

import io.godwit.broker.metrics.Exposition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Builds {@code docs/metrics.md} from a node's answer to a scrape. */
final class MetricsPage {
    /** The parts of the broker by the prefixes of their metrics, in the order of the page. */
    private static final List<Part> PARTS = List.of(
            new Part("godwit_mqtt_", "Clients"),
            new Part("godwit_dist_", "Matching and distribution"),
            new Part("godwit_inbox_", "Stored sessions"),
            new Part("godwit_retain_", "Retained messages"),
            new Part("godwit_tenant_", "Tenants"),
            new Part("godwit_kv_", "Stores, Raft and RocksDB"),
            new Part("godwit_links_", "Links to other nodes"),
            new Part("godwit_members_", "Members of the cluster"),
            new Part("godwit_api_", "The HTTP API"),
            new Part("godwit_", "Other"));

    /** Metrics of the process by their names in Micrometer, which every JVM has. */
    static final List<String> OF_PROCESS = List.of(
            "jvm_memory_used_bytes",
            "jvm_memory_committed_bytes",
            "jvm_memory_max_bytes",
            "jvm_buffer_memory_used_bytes",
            "jvm_buffer_count_buffers",
            "jvm_gc_live_data_size_bytes",
            "jvm_gc_max_data_size_bytes",
            "jvm_gc_memory_allocated_bytes_total",
            "jvm_gc_memory_promoted_bytes_total",
            "jvm_threads_live_threads",
            "jvm_threads_daemon_threads",
            "jvm_threads_peak_threads",
            "jvm_threads_states_threads",
            "jvm_classes_loaded_classes",
            "jvm_classes_unloaded_classes_total",
            "process_cpu_usage",
            "process_cpu_seconds_total",
            "process_files_open_files",
            "process_files_max_files",
            "process_uptime_seconds",
            "process_start_time_seconds",
            "system_cpu_count",
            "system_cpu_usage",
            "system_load_average_1m",
            "netty_allocator_memory_used_bytes");

    private static final int LINE = 120;

    private record Part(String prefix, String title) {}

    private MetricsPage() {}

    static String of(Exposition scrape) {
        StringBuilder page = new StringBuilder("""
                # Metrics

                This page is written by `MetricsPageTest` from what a node answers to a scrape of `/metrics`; do not
                edit it. In code and log a meter has dots in its name and no suffix: `godwit_mqtt_connects_total` is
                `godwit.mqtt.connects`.

                Every node answers for itself. Counters begin with the process. No label is chosen by a client, and
                there is no series for a client, a topic, a range or a peer; so a node has some hundreds of series,
                whatever its load. A histogram has the series `_bucket` by `le`, `_sum` and `_count`, and beside it a
                gauge `_max`, the largest of the last minutes.

                A node that is alone has no `godwit_links_*`, `godwit_members_*`, `godwit_directory_*`,
                `godwit_dist_peer_*`, `godwit_inbox_held_bytes`, `godwit_inbox_served_bytes` and
                `godwit_inbox_waiting_bytes`.

                A node has `godwit_tenant_*` where `tenantConfig.maxMeteredTenants` says for how many tenants
                ([tenants.md](tenants.md#meters-and-sys-of-tenants)). Tenants that operators have not named have none of
                their own.

                `otlpConfig` in [conf/standalone.yml](../conf/standalone.yml) has a node push all of this to a collector
                too, by OTLP (protobuf over HTTP, packed with gzip), for collectors that do not scrape. Names, labels
                and values are those of `/metrics`, counters and histograms are cumulative since the process began, and
                the unit is `s` or `By` where the name has it. A collector that is slow, refuses or is not there costs a
                line in the log in ten minutes, and is counted in `godwit_otlp_pushes_total`, which is there only where
                pushes are on. Nothing is sent again: the next push has the newer counts.

                A node that uses plugins has for each of them, with the labels `plugin` and `kind`,
                `godwit_plugins_calls_seconds_count` and `_sum`, the calls that have ended and how long they took, and
                `godwit_plugins_faults_total` by `fault`, what it did that it must not. An event listener has
                `godwit_plugins_events_waiting` and `godwit_plugins_events_dropped_total` by `plugin`. With SubBrokers
                there are `godwit_plugins_sub_begun_total`, `godwit_plugins_sub_delayed_total`,
                `godwit_plugins_sub_dropped_total` by `reason`, `godwit_plugins_sub_ended_total` and
                `godwit_plugins_sub_messages_total`. Meters that a plugin has made itself are named `plugin_`, its name,
                and theirs. [plugins.md](plugins.md) tells more.
                """);
        Map<String, Exposition.Family> left = new TreeMap<>(scrape.families());
        left.keySet().removeIf(name -> !name.startsWith("godwit_"));
        for (Part part : PARTS) {
            Map<String, Exposition.Family> own = new TreeMap<>(left);
            own.keySet().removeIf(name -> !name.startsWith(part.prefix()));
            left.keySet().removeAll(own.keySet());
            if (!own.isEmpty()) {
                page.append("\n## ").append(part.title()).append("\n\n");
                own.values().forEach(family -> page.append(item(family)));
            }
        }
        page.append("\n## The process\n\n");
        OF_PROCESS.forEach(name -> {
            Exposition.Family family = scrape.families().get(name);
            if (family != null) {
                page.append(item(family));
            }
        });
        page.append("""

                The garbage collector adds `jvm_gc_pause_seconds` by `action`, `cause` and `gc` when it has paused.
                """);
        return page.toString();
    }

    private static String item(Exposition.Family family) {
        String labels = family.labels().isEmpty() ? "" : " by `" + String.join("`, `", family.labels()) + "`";
        String help = family.help().replaceAll("\\.*$", "");
        return wrapped("- `" + family.name() + "`, " + family.type() + labels + ": " + help + ".");
    }

    private static String wrapped(String text) {
        StringBuilder out = new StringBuilder();
        Matcher words = Pattern.compile("\\S+").matcher(text);
        int column = 0;
        while (words.find()) {
            String word = words.group();
            if (column > 0 && column + 1 + word.length() > LINE) {
                out.append("\n  ");
                column = 2;
            } else if (column > 0) {
                out.append(' ');
                column++;
            }
            out.append(word);
            column += word.length();
        }
        return out.append('\n').toString();
    }
}
