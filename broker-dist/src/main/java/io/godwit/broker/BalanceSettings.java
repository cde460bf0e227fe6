package io.godwit.broker;

import io.godwit.kv.StoreBalance;
import io.godwit.kv.StoreSpec;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalancePlan;
import io.godwit.kv.balance.ShippedBalancers;
import io.godwit.kv.balance.ShippedHinters;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.SplitHinterFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How one key space is balanced: {@code storeConfig.(its name)}, and the system properties that its balancers have as
 * settings.
 */
final class BalanceSettings {
    static final BalanceSettings DIST = new BalanceSettings(
            "dist",
            PropertySettings.DIST_VOTERS,
            PropertySettings.DIST_IO_NANOS_LIMIT,
            PropertySettings.DIST_MAX_IO_DENSITY);
    static final BalanceSettings INBOX = new BalanceSettings(
            "inbox",
            PropertySettings.INBOX_VOTERS,
            PropertySettings.INBOX_IO_NANOS_LIMIT,
            PropertySettings.INBOX_MAX_IO_DENSITY);
    static final BalanceSettings RETAIN = new BalanceSettings(
            "retain",
            PropertySettings.RETAIN_VOTERS,
            PropertySettings.RETAIN_IO_NANOS_LIMIT,
            PropertySettings.RETAIN_MAX_IO_DENSITY);

    private static final List<BalanceSettings> ALL = List.of(DIST, INBOX, RETAIN);

    /** A setting of a balancer or of the split hinter, whichever has that name. */
    record Tuning(String name, String key, String value) {
        static Tuning parse(String text) {
            int equals = text.indexOf('=');
            int dot = text.lastIndexOf('.', equals);
            if (dot < 1 || dot + 1 >= equals) {
                throw new IllegalArgumentException(
                        "must be balancer.setting=value, one a line, but has \"" + text + "\"");
            }
            return new Tuning(
                    text.substring(0, dot).strip(),
                    text.substring(dot + 1, equals).strip(),
                    text.substring(equals + 1).strip());
        }
    }

    private final String keySpace;
    private final Setting<Integer> voters;
    private final Setting<Long> ioNanosLimit;
    private final Setting<Long> maxIoDensity;
    private final Setting<List<String>> balancers;
    private final Setting<String> splitHinter;
    private final Setting<List<Tuning>> tuning;

    private BalanceSettings(
            String keySpace, Setting<Integer> voters, Setting<Long> ioNanosLimit, Setting<Long> maxIoDensity) {
        String section = "storeConfig." + keySpace + ".";
        this.keySpace = keySpace;
        this.voters = voters;
        this.ioNanosLimit = ioNanosLimit;
        this.maxIoDensity = maxIoDensity;
        this.balancers = Setting.list(section + "balancers", List.of(), name -> name);
        this.splitHinter = Setting.text(section + "splitHinter", ShippedHinters.LOAD.name());
        this.tuning = Setting.lines(section + "balanceSettings", Tuning::parse);
    }

    /** Every key of the configuration file. */
    static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>();
        for (BalanceSettings each : ALL) {
            all.add(each.balancers);
            all.add(each.splitHinter);
            all.add(each.tuning);
        }
        return all;
    }

    /**
     * The balancers that are configured, those that come with the broker unless others are named.
     *
     * @throws IOException naming the balancer that is not there, or the setting that is wrong
     */
    BalancePlan plan(BrokerConfig config, PluginLoader plugins) throws IOException {
        List<BalancePlan.Step> steps = new ArrayList<>();
        for (RangeBalancerFactory factory : factories(config, plugins)) {
            Map<String, String> settings = new HashMap<>();
            if (ShippedBalancers.ALL.contains(factory)) {
                settings.putAll(properties(config));
                settings.keySet().retainAll(factory.defaults().keySet());
            }
            settings.putAll(tuningOf(factory.name(), config));
            steps.add(new BalancePlan.Step(factory, settings));
        }
        try {
            BalancePlan plan = new BalancePlan(steps);
            plan.steps().forEach(BalancePlan.Step::create);
            return plan;
        } catch (IllegalArgumentException e) {
            throw new IOException(tuning.key() + ": " + e.getMessage(), e);
        }
    }

    private List<RangeBalancerFactory> factories(BrokerConfig config, PluginLoader plugins) throws IOException {
        List<String> names = config.get(balancers);
        if (names.isEmpty()) {
            return ShippedBalancers.ALL;
        }
        List<RangeBalancerFactory> factories = new ArrayList<>();
        for (String name : names) {
            factories.add(named(
                    plugins,
                    balancers.key(),
                    name,
                    RangeBalancerFactory.class,
                    RangeBalancerFactory::name,
                    ShippedBalancers.ALL));
        }
        return factories;
    }

    private static <F> F named(
            PluginLoader plugins, String key, String name, Class<F> type, Function<F, String> nameOf, List<F> shipped)
            throws IOException {
        for (F factory : shipped) {
            if (nameOf.apply(factory).equals(name)) {
                return factory;
            }
        }
        return plugins.find(
                key, name, type, nameOf, shipped.stream().map(nameOf).toList());
    }

    /** What system properties say, by the names that the shipped balancers have for it. */
    private Map<String, String> properties(BrokerConfig config) {
        Map<String, String> settings = new HashMap<>();
        settings.put("ioNanosLimit", String.valueOf(config.get(ioNanosLimit)));
        settings.put("maxIoDensity", String.valueOf(config.get(maxIoDensity)));
        if (this == INBOX) {
            // what a store begins with is not joined when there is little to do
            settings.put("minRanges", String.valueOf(config.get(PropertySettings.INBOX_RANGES)));
        }
        return settings;
    }

    private Map<String, String> tuningOf(String name, BrokerConfig config) {
        Map<String, String> settings = new HashMap<>();
        config.get(tuning).stream()
                .filter(each -> each.name().equals(name))
                .forEach(each -> settings.put(each.key(), each.value()));
        return settings;
    }

    /** The split hinter that is configured, with its settings: all of them. */
    record Hinter(SplitHinterFactory factory, Map<String, String> settings) {}

    /** @throws IOException naming the hinter that is not there, or the setting that is wrong */
    Hinter hinter(BrokerConfig config, PluginLoader plugins) throws IOException {
        SplitHinterFactory factory = named(
                plugins,
                splitHinter.key(),
                config.get(splitHinter),
                SplitHinterFactory.class,
                SplitHinterFactory::name,
                ShippedHinters.ALL);
        Map<String, String> settings = tuningOf(factory.name(), config);
        Map<String, String> effective = new HashMap<>(factory.defaults());
        for (String key : new TreeSet<>(settings.keySet())) {
            if (!effective.containsKey(key)) {
                throw new IOException(tuning.key() + ": split hinter " + factory.name() + " has no setting \"" + key
                        + "\", only " + new TreeSet<>(effective.keySet()));
            }
        }
        effective.putAll(settings);
        try {
            factory.create(effective);
        } catch (IllegalArgumentException e) {
            throw new IOException(tuning.key() + ": split hinter " + factory.name() + ": " + e.getMessage(), e);
        }
        return new Hinter(factory, Map.copyOf(effective));
    }

    /**
     * The store, with who cuts and looks after its ranges.
     *
     * @param splitKeys where it is cut when it is made
     * @throws IOException as {@link #plan} and {@link #hinter}
     */
    StoreSpec store(
            Supplier<? extends RangeCoprocessor> coprocessors,
            List<byte[]> splitKeys,
            BrokerConfig config,
            PluginLoader plugins)
            throws IOException {
        Hinter hinter = hinter(config, plugins);
        return new StoreSpec(
                keySpace,
                coprocessors,
                splitKeys,
                () -> hinter.factory().create(hinter.settings()),
                new StoreBalance(
                        // what is published is matched where it comes in, so routes are everywhere
                        new ReplicaGoal(config.get(voters), this == DIST),
                        plan(config, plugins),
                        BalanceLoopConfig.DEFAULT));
    }

    /**
     * Makes sure that all key spaces can be balanced as configured.
     *
     * @throws IOException naming what is not there, or is wrong
     */
    static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        for (BalanceSettings each : ALL) {
            Set<String> names = new HashSet<>();
            each.plan(config, plugins).steps().forEach(step -> names.add(step.name()));
            names.add(each.hinter(config, plugins).factory().name());
            for (Tuning tuning : config.get(each.tuning)) {
                if (!names.contains(tuning.name())) {
                    throw new IOException(each.tuning.key() + ": there is no balancer \"" + tuning.name()
                            + "\" in use, only " + new TreeSet<>(names));
                }
            }
        }
    }
}
