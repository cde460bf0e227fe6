package io.godwit.broker.conversion;

import io.godwit.broker.conversion.Note.Outcome;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Converts limits of mosquitto that are settings of a tenant here. All clients of the new configuration belong to the
 * tenant {@code default}. So a limit of a listener is converted only if all listeners have the same one; otherwise the
 * note has the lines to add. For one thread.
 */
final class MosquittoTenant {
    private static final String FILE = "tenants.yml";
    private static final String TENANT = TenantId.DEFAULT.value();
    private static final Map<String, String> VERSIONS = Map.of("3", "3.1", "4", "3.1.1", "5", "5.0");

    /** @param value in our words */
    private record Limit(int line, String key, String value) {}

    private final Target target;
    /** The limits of listeners, in the order of the listeners. */
    private final Map<TenantSetting, List<Limit>> ofListeners = new EnumMap<>(TenantSetting.class);

    private final Map<TenantSetting, String> settings = new EnumMap<>(TenantSetting.class);

    MosquittoTenant(Target target) {
        this.target = target;
    }

    void retainAvailable(int line, String key, String value) {
        if (value.equals("true")) {
            target.note(line, key, Outcome.TAKEN, "the default");
        } else {
            settings.put(TenantSetting.RETAIN, "false");
            taken(new Limit(line, key, "false"), TenantSetting.RETAIN);
        }
    }

    void maxQos(int line, String key, String value) {
        switch (value) {
            case "0", "1" -> limit(TenantSetting.MAX_QOS, new Limit(line, key, value));
            case "2" -> target.note(line, key, Outcome.TAKEN, "the default");
            default -> target.leaveOut(line, key, "must be 0, 1 or 2");
        }
    }

    void acceptProtocolVersions(int line, String key, String value) {
        Set<String> accepted = new TreeSet<>(List.of(value.split("[, \t]+")));
        if (!VERSIONS.keySet().containsAll(accepted)) {
            target.leaveOut(line, key, "must be out of 3, 4 and 5");
        } else if (accepted.size() == VERSIONS.size()) {
            target.note(line, key, Outcome.TAKEN, "the default");
        } else {
            String ours = accepted.stream()
                    .map(version -> VERSIONS.getOrDefault(version, version))
                    .collect(Collectors.joining(", "));
            limit(TenantSetting.PROTOCOLS, new Limit(line, key, ours));
        }
    }

    private void limit(TenantSetting setting, Limit limit) {
        ofListeners.computeIfAbsent(setting, key -> new ArrayList<>()).add(limit);
    }

    /**
     * Writes the file, if there is something to set.
     *
     * @param listeners number of the listeners that have been converted
     */
    void write(int listeners) {
        Map<TenantSetting, List<Limit>> differing = new EnumMap<>(TenantSetting.class);
        ofListeners.forEach((setting, limits) -> {
            boolean isOfAll = limits.size() == listeners
                    && limits.stream().map(Limit::value).distinct().count() == 1;
            if (isOfAll) {
                settings.put(setting, limits.get(0).value());
                limits.forEach(limit -> taken(limit, setting));
            } else {
                differing.put(setting, limits);
            }
        });
        differing.forEach((setting, limits) -> limits.forEach(limit -> toDo(limit, setting)));
        if (!settings.isEmpty()) {
            StringBuilder text = new StringBuilder("# All clients belong to the tenant " + TENANT
                    + ". docs/tenants.md has all settings of a tenant.\n\ntenants:\n  " + TENANT + ":\n");
            settings.forEach((setting, value) ->
                    text.append("    ").append(line(setting, value)).append('\n'));
            target.set("tenantConfig.file", FILE);
            target.beside(FILE, text.toString());
        }
    }

    private static String line(TenantSetting setting, String value) {
        return setting.key() + ": " + (setting.kind() == TenantSetting.Kind.SET ? "[" + value + "]" : value);
    }

    private void taken(Limit limit, TenantSetting setting) {
        String text = line(setting, limit.value()) + ", of the tenant " + TENANT + " in " + FILE;
        target.note(limit.line(), limit.key(), Outcome.TAKEN, text);
    }

    /** Tells the lines to add. They depend on whether the file is written, so this comes after {@link #taken}. */
    private void toDo(Limit limit, TenantSetting setting) {
        String line = line(setting, limit.value());
        String forAll = settings.isEmpty()
                ? "write \"tenants: {" + TENANT + ": {" + line + "}}\" into " + FILE + " and \"tenantConfig: {file: "
                        + FILE + "}\" into the configuration"
                : "add \"" + line + "\" to " + TENANT + " in " + FILE;
        target.note(
                limit.line(),
                limit.key(),
                Outcome.TO_DO,
                "is a limit of a tenant here, and not all listeners have it. For all of them, " + forAll
                        + ". For this one alone, add \"tenant: NAME\" to the listener and write NAME for " + TENANT
                        + "; then its clients get no messages from other listeners");
    }
}
