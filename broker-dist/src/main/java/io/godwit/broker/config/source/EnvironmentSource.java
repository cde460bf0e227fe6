package io.godwit.broker.config.source;

import io.godwit.broker.config.key.Given;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the environment: {@code GODWIT_SESSION_CONFIG_MAX_QUEUED_BYTES} overrides {@code sessionConfig.maxQueuedBytes}
 * of the file. For a section that is a list in the file, the name contains the index: {@code
 * GODWIT_MQTT_SERVER_CONFIG_TCP_LISTENER_0_PORT}.
 */
public final class EnvironmentSource {
    private static final String PREFIX = "GODWIT_";
    /**
     * Variables that Kubernetes sets in every container for each service of its namespace, such as GODWIT_SERVICE_HOST,
     * GODWIT_PORT and GODWIT_PORT_1883_TCP_ADDR. A service that happens to be called godwit must not configure a
     * broker.
     */
    private static final Pattern OF_KUBERNETES = Pattern.compile(
            "GODWIT_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");
    /** The value of GODWIT_PORT and GODWIT_HEADLESS_PORT under Kubernetes. */
    private static final Pattern ADDRESS_OF_KUBERNETES = Pattern.compile("(tcp|udp|sctp)://.*");

    private static final Pattern INDEX = Pattern.compile("_(\\d{1,3})(_.+)");

    private final Map<String, String> pathByName = new HashMap<>();
    /** Paths of repeatable sections, by their name in the environment. */
    private final Map<String, String> repeatedByName = new HashMap<>();

    private final Values values;
    private final Set<String> ofOthers;

    /**
     * @param paths of valid keys
     * @param repeated paths of repeatable sections
     * @param ofOthers variables with our prefix that something else reads
     */
    public EnvironmentSource(Iterable<String> paths, Set<String> repeated, Set<String> ofOthers, Values values) {
        for (String path : paths) {
            String other = pathByName.put(name(path), path);
            if (other != null) {
                throw new IllegalStateException(path + " and " + other + " have the same name in the environment");
            }
        }
        repeated.forEach(path -> repeatedByName.put(name(path), path));
        this.ofOthers = ofOthers;
        this.values = values;
    }

    /** The name of the variable for a key or a system property. */
    public static String name(String path) {
        return PREFIX
                + path.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT);
    }

    public void read(Map<String, String> environment) {
        for (String variable : new TreeSet<>(environment.keySet())) {
            String text = environment.getOrDefault(variable, "").strip();
            if (variable.startsWith(PREFIX) && !ofOthers.contains(variable) && !isOfKubernetes(variable, text)) {
                readOne(variable, new Given(text, "environment variable " + variable));
            }
        }
    }

    private boolean isOfKubernetes(String variable, String text) {
        return !pathByName.containsKey(variable)
                && (OF_KUBERNETES.matcher(variable).matches()
                        || variable.endsWith("_PORT")
                                && ADDRESS_OF_KUBERNETES.matcher(text).matches());
    }

    private void readOne(String variable, Given given) {
        for (Map.Entry<String, String> section : repeatedByName.entrySet()) {
            if (variable.startsWith(section.getKey() + "_")) {
                readRepeated(variable, section.getKey(), section.getValue(), given);
                return;
            }
        }
        String path = pathByName.get(variable);
        if (path == null) {
            unknown(variable);
        } else {
            values.put(path, given);
        }
    }

    private void readRepeated(String variable, String sectionName, String section, Given given) {
        Matcher indexed = INDEX.matcher(variable.substring(sectionName.length()));
        boolean hasIndex = indexed.matches();
        String path = pathByName.get(hasIndex ? sectionName + indexed.group(2) : variable);
        if (path == null) {
            unknown(variable);
            return;
        }
        if (Values.isNothing(given.text())) {
            return;
        }
        Set<String> instances = values.instances(section);
        String instance = hasIndex ? section + "[" + Integer.parseInt(indexed.group(1)) + "]" : section;
        if (!hasIndex && instances.isEmpty()) {
            values.addInstance(section, section);
        } else if (!instances.contains(instance)) {
            values.error(variable, "there is no " + instance + " in the file, only " + new TreeSet<>(instances));
            return;
        }
        values.put(instance + path.substring(section.length()), given);
    }

    private void unknown(String variable) {
        Set<String> names = new HashSet<>(pathByName.keySet());
        values.error(
                variable, "unknown environment variable, the nearest valid one is " + NearestKey.of(variable, names));
    }
}
