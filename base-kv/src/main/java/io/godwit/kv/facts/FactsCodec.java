package io.godwit.kv.facts;

import io.godwit.kv.facts.ClusterFacts.Voters;
import io.godwit.kv.wire.FactsMessage;
import io.godwit.kv.wire.VotersMessage;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The facts of the cluster as a message to other nodes. */
public final class FactsCodec {
    private FactsCodec() {}

    public static FactsMessage message(ClusterFacts facts) {
        FactsMessage.Builder out = FactsMessage.newBuilder();
        for (Map.Entry<String, Voters> store : new TreeMap<>(facts.voters()).entrySet()) {
            out.addVoters(VotersMessage.newBuilder()
                    .setStore(store.getKey())
                    .setRevision(store.getValue().revision())
                    .setCount(store.getValue().count())
                    .setHighest(store.getValue().highest()));
        }
        return out.addAllForgotten(new TreeSet<>(facts.forgotten())).build();
    }

    /** @throws IOException if a value is out of its bounds */
    public static ClusterFacts facts(FactsMessage in) throws IOException {
        ClusterFacts.checkedCount(in.getVotersCount(), ClusterFacts.MAX_STORES);
        ClusterFacts.checkedCount(in.getForgottenCount(), ClusterFacts.MAX_FORGOTTEN);
        try {
            Map<String, Voters> voters = new HashMap<>();
            for (VotersMessage store : in.getVotersList()) {
                Voters told = new Voters(store.getRevision(), store.getCount(), store.getHighest());
                voters.put(ClusterFacts.checkedName(store.getStore()), ClusterFacts.checked(told));
            }
            Set<String> forgotten = new TreeSet<>();
            for (String storeId : in.getForgottenList()) {
                forgotten.add(ClusterFacts.checkedStoreId(ClusterFacts.checkedName(storeId)));
            }
            return new ClusterFacts(voters, forgotten);
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException("facts of the cluster: " + e.getMessage(), e);
        }
    }
}
