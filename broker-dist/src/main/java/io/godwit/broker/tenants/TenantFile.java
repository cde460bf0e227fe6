package io.godwit.broker.tenants;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.source.NearestKey;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads the file of the tenants: {@code defaults} for all listed tenants, and {@code tenants} with the settings of
 * each. Finds all mistakes in one pass, up to a bound. Works on YAML nodes, which keep their lines. For one thread.
 */
public final class TenantFile {
    /** Bound of the file. */
    public static final int MAX_BYTES = 2 << 20;

    /** Bound of the tenants in a file. */
    public static final int MAX_TENANTS = 10_000;

    private static final int MAX_ERRORS = 100;
    private static final String DEFAULTS = "defaults";
    private static final String TENANTS = "tenants";
    private static final Set<String> KEYS =
            Arrays.stream(TenantSetting.values()).map(TenantSetting::key).collect(Collectors.toUnmodifiableSet());

    private final List<String> errors = new ArrayList<>();
    private int unlisted;

    private TenantFile() {}

    /**
     * The settings of each tenant in the file. Blocks.
     *
     * @throws ConfigException with one entry per mistake, naming key and line
     */
    public static Map<TenantId, TenantSettings> read(Path file) throws ConfigException {
        TenantFile reading = new TenantFile();
        Map<TenantId, TenantSettings> found = reading.settings(file);
        if (reading.unlisted > 0) {
            reading.errors.add("... and " + reading.unlisted + " more");
        }
        if (!reading.errors.isEmpty()) {
            throw new ConfigException(reading.errors.stream()
                    .map(error -> file.getFileName() + ": " + error)
                    .toList());
        }
        return found;
    }

    private Map<TenantId, TenantSettings> settings(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                error("has more than " + MAX_BYTES + " bytes");
                return Map.of();
            }
            Node node = compose(file);
            if (node instanceof MappingNode mapping) {
                return settings(mapping);
            }
            if (node != null && !isNothing(node)) {
                error("must hold " + DEFAULTS + " and " + TENANTS + at(node));
            }
        } catch (NoSuchFileException e) {
            error("no such file: " + file);
        } catch (YAMLException e) {
            error(
                    e.getCause() instanceof CharacterCodingException
                            ? "is not UTF-8"
                            : "not valid YAML:\n"
                                    + String.valueOf(e.getMessage()).stripTrailing());
        } catch (IOException e) {
            error("cannot be read: " + e);
        }
        return Map.of();
    }

    private static @Nullable Node compose(Path file) throws IOException {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return new Yaml(new LoaderOptions()).compose(reader);
        }
    }

    private Map<TenantId, TenantSettings> settings(MappingNode root) {
        Map<String, Node> sections = new LinkedHashMap<>();
        each("", root, (key, value) -> {
            if (key.getValue().equals(DEFAULTS) || key.getValue().equals(TENANTS)) {
                sections.put(key.getValue(), value);
            } else {
                unknown(key.getValue(), key, Set.of(DEFAULTS, TENANTS));
            }
        });
        TenantSettings common = settings(DEFAULTS, sections.get(DEFAULTS));
        Map<TenantId, TenantSettings> found = new LinkedHashMap<>();
        each(TENANTS, mapping(TENANTS, sections.get(TENANTS)), (key, value) -> {
            String path = TENANTS + "." + key.getValue();
            TenantId tenant = TenantId.parse(key.getValue()).orElse(null);
            if (tenant == null) {
                error(path + ": a tenant has 1 to 64 letters, digits, '-', '_' and '.'" + at(key));
            } else if (found.size() == MAX_TENANTS) {
                error(path + ": is one more than the " + MAX_TENANTS + " tenants that a file may list" + at(key));
            } else {
                found.put(tenant, settings(path, value).over(common));
            }
        });
        return found;
    }

    private TenantSettings settings(String path, @Nullable Node node) {
        TenantSettings.Builder settings = TenantSettings.builder();
        each(path, mapping(path, node), (key, value) -> {
            TenantSetting setting = TenantSetting.of(key.getValue()).orElse(null);
            if (setting == null) {
                unknown(path + "." + key.getValue(), key, KEYS);
            } else {
                read(path + "." + key.getValue(), setting, value, settings);
            }
        });
        TenantSettings read = settings.build();
        OptionalLong least = read.get(TenantSetting.MIN_EXPIRY_SECONDS);
        OptionalLong most = read.get(TenantSetting.MAX_EXPIRY_SECONDS);
        if (least.isPresent() && most.isPresent() && least.getAsLong() > most.getAsLong() && node != null) {
            error(path + "." + TenantSetting.MIN_EXPIRY_SECONDS.key() + ": is more than "
                    + TenantSetting.MAX_EXPIRY_SECONDS.key() + at(node));
        }
        return read;
    }

    private void read(String path, TenantSetting setting, Node node, TenantSettings.Builder settings) {
        String text = text(setting, node);
        if (text == null) {
            error(path + ": must be a single value" + at(node));
            return;
        }
        if (text.isEmpty()) {
            return; // counts as not given, as in the configuration
        }
        try {
            settings.set(setting, setting.parse(text));
        } catch (IllegalArgumentException e) {
            error(path + ": must be " + setting.valid() + ", was \"" + cut(text) + "\"" + at(node));
        }
    }

    /** The text of a value; for a set it may also be a list of words. Null for any other node. */
    private static @Nullable String text(TenantSetting setting, Node node) {
        if (node instanceof ScalarNode scalar) {
            return isNothing(node) ? "" : scalar.getValue().strip();
        }
        boolean isWords = setting.kind() == TenantSetting.Kind.SET
                && node instanceof SequenceNode list
                && list.getValue().stream().allMatch(ScalarNode.class::isInstance);
        return isWords
                ? ((SequenceNode) node)
                        .getValue().stream()
                                .map(item -> ((ScalarNode) item).getValue())
                                .collect(Collectors.joining(","))
                : null;
    }

    private @Nullable MappingNode mapping(String path, @Nullable Node node) {
        if (node instanceof MappingNode mapping) {
            return mapping;
        }
        if (node != null && !isNothing(node)) {
            error(path + ": must hold keys, not a value" + at(node));
        }
        return null;
    }

    private void each(String path, @Nullable MappingNode mapping, BiConsumer<ScalarNode, Node> action) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping == null ? List.<NodeTuple>of() : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                error((path.isEmpty() ? "the file" : path) + ": a key must be a plain word" + at(tuple.getKeyNode()));
            } else if (!seen.add(key.getValue())) {
                error((path.isEmpty() ? "" : path + ".") + cut(key.getValue()) + ": given twice" + at(key));
            } else {
                action.accept(key, tuple.getValueNode());
            }
        }
    }

    private void unknown(String path, ScalarNode key, Set<String> valid) {
        error(cut(path) + ": unknown key" + at(key) + ", the nearest valid one is "
                + NearestKey.of(cut(key.getValue()), valid));
    }

    private void error(String text) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(text);
        } else {
            unlisted++;
        }
    }

    /** Shortens text in error messages. */
    private static String cut(String text) {
        int most = 100;
        return text.length() <= most ? text : text.substring(0, most) + "...";
    }

    private static String at(Node node) {
        return " (line " + (node.getStartMark().getLine() + 1) + ")";
    }

    private static boolean isNothing(Node node) {
        return node instanceof ScalarNode scalar
                && (scalar.getValue().isEmpty()
                        || scalar.getValue().equals("~")
                        || scalar.getValue().equals("null"));
    }
}
