package io.godwit.broker.effective;

import io.godwit.broker.settings.SubBrokerSection;
import io.godwit.broker.sub.SubLimits;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Opens the plugins that bring messages to other systems, from the effective configuration. */
public final class SubBrokerSettings {
    /** Names become part of client ids. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private SubBrokerSettings() {}

    /** @return one line per error, each naming its key */
    public static List<String> errors(BrokerConfig config) {
        SubBrokerSection section = config.subBrokers();
        List<String> errors = new ArrayList<>();
        if (section.maxHeldMessages() < section.maxBatchMessages()) {
            errors.add("subBrokerConfig.maxHeldMessages: must be at least subBrokerConfig.maxBatchMessages, was "
                    + section.maxHeldMessages());
        }
        if (section.maxHeldBytes() < section.maxBatchBytes()) {
            errors.add("subBrokerConfig.maxHeldBytes: must be at least subBrokerConfig.maxBatchBytes, was "
                    + section.maxHeldBytes());
        }
        if (new HashSet<>(section.plugins()).size() < section.plugins().size()) {
            errors.add("subBrokerConfig.plugins: names one twice");
        }
        return errors;
    }

    public static SubLimits limits(BrokerConfig config) {
        SubBrokerSection section = config.subBrokers();
        return new SubLimits(
                section.maxBatchMessages(), section.maxBatchBytes(), section.maxHeldMessages(), section.maxHeldBytes());
    }

    /**
     * Finds the plugins of {@link #open}, but creates nothing. Blocks.
     *
     * @throws IOException naming each plugin that is missing or has a wrong name
     */
    public static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        Mistakes mistakes = new Mistakes();
        config.subBrokers().plugins().forEach(name -> mistakes.check(() -> find(name, plugins)));
        mistakes.refuse();
    }

    /**
     * The configured plugins, by name. Blocks.
     *
     * @throws IOException naming the plugin that is missing, has a wrong name or does not start
     */
    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    public static Map<String, SubBroker> open(BrokerConfig config, PluginLoader plugins) throws IOException {
        Map<String, SubBroker> opened = new LinkedHashMap<>();
        for (String wanted : config.subBrokers().plugins()) {
            SubBrokerFactory factory = find(wanted, plugins);
            try {
                opened.put(factory.name(), factory.create());
            } catch (Exception | LinkageError e) {
                throw new IOException("the SubBroker " + factory.name() + " does not start: " + e, e);
            }
        }
        return opened;
    }

    private static SubBrokerFactory find(String wanted, PluginLoader plugins) throws IOException {
        SubBrokerFactory found = plugins.find(
                "subBrokerConfig.plugins", wanted, SubBrokerFactory.class, SubBrokerFactory::name, List.of());
        if (!NAME.matcher(found.name()).matches()) {
            throw new IOException("subBrokerConfig.plugins: the SubBroker " + wanted
                    + " has an invalid name: it must be up to 64 letters, digits, '-' and '_'");
        }
        return found;
    }
}
