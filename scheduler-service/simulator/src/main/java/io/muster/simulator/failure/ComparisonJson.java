package io.muster.simulator.failure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The comparison as one JSON object; times are whole milliseconds, shares are of the wall time. */
final class ComparisonJson {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ComparisonJson() {}

    static String of(Comparison comparison) {
        FailureSettings settings = comparison.settings();
        Expectation expected = comparison.expectation();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("days", settings.days());
        object.put("runs", comparison.single().size());
        object.put("firstSeed", comparison.firstSeed());
        object.put("jobNodes", settings.cluster().jobNodes());
        object.put("spares", settings.cluster().spares());
        object.put("gpusPerNode", settings.cluster().gpusPerNode());
        object.put("faultsPerMillionNodeDays", settings.rates().faultsPerMillionNodeDays());
        object.put("phases", settings.phases().name());
        object.put("saveEveryMillis", settings.checkpoints().intervalMillis());
        object.put("single", outcome(comparison.single()));
        object.put("correlated", outcome(comparison.correlated()));
        Map<String, Object> formula = new LinkedHashMap<>();
        formula.put("effective", expected.effective());
        formula.put("interruptionsPerDay", comparison.expectedInterruptionsPerDay());
        formula.put("lostShare", expected.lostShare());
        formula.put("tolerance", expected.tolerance());
        formula.put("agrees", expected.agreesWith(Comparison.together(comparison.single())));
        object.put("formula", formula);
        return MAPPER.writeValueAsString(object) + "\n";
    }

    private static Map<String, Object> outcome(List<Outcome> runs) {
        Outcome together = Comparison.together(runs);
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("effective", together.effective());
        object.put("effectiveLeast", Comparison.least(runs));
        object.put("effectiveMost", Comparison.most(runs));
        object.put("lostShare", together.lostShare());
        object.put("interruptionsPerDay", together.perDay(together.interruptionsInAll()));
        object.put("costliestPhase", together.costliest());
        object.put("wallMillis", together.wallMillis());
        object.put("phaseMillis", together.phases());
        object.put("interruptions", together.interruptions());
        object.put("nodeEvents", together.hits());
        object.put("lossesDuringRecovery", together.lossesDuringRecovery());
        object.put("sparesExhausted", together.exhausted());
        object.put("queuedWhole", together.queuedWhole());
        object.put("restoredFromStore", together.fromStore());
        object.put("saves", together.saves());
        return object;
    }
}
