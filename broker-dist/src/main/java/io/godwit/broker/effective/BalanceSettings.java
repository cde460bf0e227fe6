package io.godwit.broker.effective;

import io.godwit.broker.settings.SystemProperties;
import io.godwit.broker.settings.store.BalanceTuning;
import io.godwit.broker.settings.store.KeySpaceSection;
import io.godwit.broker.settings.store.StoreSection;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.balance.policy.ShippedBalancers;
import io.godwit.kv.balance.policy.ShippedHinters;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
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
 * The balancing of one key space: its section {@code storeConfig.(name)}, and the system properties that set values of
 * its balancers.
 */
public final class BalanceSettings {
    public static final BalanceSettings DIST = new BalanceSettings("dist");
    public static final BalanceSettings INBOX = new BalanceSettings("inbox");
    public static final BalanceSettings RETAIN = new BalanceSettings("retain");

    private static final List<BalanceSettings> ALL = List.of(DIST, INBOX, RETAIN);

    private static final String SETTINGS = "balanceSettings";

    private final String keySpace;

    private BalanceSettings(String keySpace) {
        this.keySpace = keySpace;
    }

    private KeySpaceSection section(BrokerConfig config) {
        StoreSection stores = config.stores();
        return this == DIST ? stores.dist() : this == INBOX ? stores.inbox() : stores.retain();
    }

    private int voters(BrokerConfig config) {
        SystemProperties all = config.properties();
        return this == DIST ? all.distVoters() : this == INBOX ? all.inboxVoters() : all.retainVoters();
    }

    /** The system property that sets the number of voters. */
    private String votersProperty() {
        return this == DIST
                ? "dist_worker_replica_voter_count"
                : this == INBOX ? "inbox_store_replica_voter_count" : "retain_store_replica_voter_count";
    }

    /**
     * Warnings for the operator at each start of a clustered node: ranges with a single voter, and a property that
     * differs from the number in force.
     *
     * @param noted the number of voters that the cluster wants, by store; empty while this node does not know it
     */
    public static List<String> warnings(BrokerConfig config, Map<String, Integer> noted) {
        List<String> warnings = new ArrayList<>();
        if (!ClusterSettings.isClustered(config)) {
            return warnings;
        }
        for (BalanceSettings each : ALL) {
            int configured = each.voters(config);
            boolean isGiven = config.isGiven(each.votersProperty());
            int wanted = noted.getOrDefault(each.keySpace, configured);
            if (isGiven && configured != wanted) {
                warnings.add(each.votersProperty() + " is " + configured + " here, but the cluster wants " + wanted
                        + " voters. The cluster's number stays unless the property is higher than any number before: "
                        + "\"godwit-admin replicas " + each.keySpace + " " + configured + "\" changes it");
            }
            if (wanted == 1) {
                warnings.add((isGiven && configured == 1
                                ? each.votersProperty() + " is 1"
                                : "1 voter is wanted of each range")
                        + ": the data of the " + each.keySpace + " store depends on one node: not available while "
                        + "that node is down, and lost with its disk; \"godwit-admin replicas "
                        + each.keySpace + " 3\" changes it");
            }
        }
        return warnings;
    }

    private String key(String name) {
        return "storeConfig." + keySpace + "." + name;
    }

    /**
     * The configured balancers; the shipped ones if none are named.
     *
     * @throws IOException naming the missing balancer or the wrong setting
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
            throw new IOException(key(SETTINGS) + ": " + e.getMessage(), e);
        }
    }

    private List<RangeBalancerFactory> factories(BrokerConfig config, PluginLoader plugins) throws IOException {
        List<String> names = section(config).balancers();
        if (names.isEmpty()) {
            return ShippedBalancers.ALL;
        }
        List<RangeBalancerFactory> factories = new ArrayList<>();
        for (String name : names) {
            factories.add(named(
                    plugins,
                    key("balancers"),
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

    /** The values of system properties, under the names that the shipped balancers use. */
    private Map<String, String> properties(BrokerConfig config) {
        SystemProperties all = config.properties();
        long ioNanosLimit = this == DIST
                ? all.distIoNanosLimit()
                : this == INBOX ? all.inboxIoNanosLimit() : all.retainIoNanosLimit();
        long maxIoDensity = this == DIST
                ? all.distMaxIoDensity()
                : this == INBOX ? all.inboxMaxIoDensity() : all.retainMaxIoDensity();
        Map<String, String> settings = new HashMap<>();
        settings.put("ioNanosLimit", String.valueOf(ioNanosLimit));
        settings.put("maxIoDensity", String.valueOf(maxIoDensity));
        if (this == INBOX) {
            // ranges that a store begins with are not merged when load is low
            settings.put("minRanges", String.valueOf(config.properties().initialRanges()));
        }
        return settings;
    }

    private Map<String, String> tuningOf(String name, BrokerConfig config) {
        Map<String, String> settings = new HashMap<>();
        section(config).balanceSettings().stream()
                .filter(each -> each.name().equals(name))
                .forEach(each -> settings.put(each.key(), each.value()));
        return settings;
    }

    /** The configured split hinter with all its settings. */
    record Hinter(SplitHinterFactory factory, Map<String, String> settings) {}

    /** @throws IOException naming the missing hinter or the wrong setting */
    Hinter hinter(BrokerConfig config, PluginLoader plugins) throws IOException {
        SplitHinterFactory factory = named(
                plugins,
                key("splitHinter"),
                section(config).splitHinter(),
                SplitHinterFactory.class,
                SplitHinterFactory::name,
                ShippedHinters.ALL);
        Map<String, String> settings = tuningOf(factory.name(), config);
        Map<String, String> effective = new HashMap<>(factory.defaults());
        for (String key : new TreeSet<>(settings.keySet())) {
            if (!effective.containsKey(key)) {
                throw new IOException(key(SETTINGS) + ": split hinter " + factory.name() + " has no setting \"" + key
                        + "\", only " + new TreeSet<>(effective.keySet()));
            }
        }
        effective.putAll(settings);
        try {
            factory.create(effective);
        } catch (IllegalArgumentException e) {
            throw new IOException(key(SETTINGS) + ": split hinter " + factory.name() + ": " + e.getMessage(), e);
        }
        return new Hinter(factory, Map.copyOf(effective));
    }

    /**
     * The store with its split hinter, number of voters and balancers.
     *
     * @param splitKeys where the key space is cut when the store is created
     * @throws IOException as {@link #plan} and {@link #hinter}
     */
    public StoreSpec store(
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
                        // a publish is matched on the node that receives it, so every node holds the routes
                        new ReplicaGoal(voters(config), this == DIST),
                        config.isGiven(votersProperty()),
                        plan(config, plugins),
                        BalanceLoopConfig.DEFAULT));
    }

    /**
     * Checks that all key spaces can be balanced as configured.
     *
     * @throws IOException naming the missing balancer or the wrong setting
     */
    public static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        for (BalanceSettings each : ALL) {
            Set<String> names = new HashSet<>();
            each.plan(config, plugins).steps().forEach(step -> names.add(step.name()));
            names.add(each.hinter(config, plugins).factory().name());
            for (BalanceTuning tuning : each.section(config).balanceSettings()) {
                if (!names.contains(tuning.name())) {
                    throw new IOException(each.key(SETTINGS) + ": there is no balancer \"" + tuning.name()
                            + "\" in use, only " + new TreeSet<>(names));
                }
            }
        }
    }
}
