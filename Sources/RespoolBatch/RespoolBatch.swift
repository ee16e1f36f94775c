// RespoolBatch
